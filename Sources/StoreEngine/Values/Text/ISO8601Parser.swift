package import Foundation

/// Converts dates to and from ISO 8601 text in UTC without loss: `2026-07-31T09:30:00.25Z`.
///
/// A `Date` is a double, the seconds since 2001-01-01 00:00:00 UTC. The text has the shortest fraction that reads back as the
/// identical double, which is the fraction of the double's own shortest decimal form. Foundation's formatters round to
/// milliseconds and take microseconds for each date, so this code does its own calendar arithmetic.
///
/// - Years 0001 to 9999 have the form `2026-07-31T09:30:00Z`.
/// - Other years have six digits or more: `+012345-01-01T00:00:00Z`, `-000044-03-15T12:00:00Z`. Year 0 is 1 BC.
/// - Negative zero, which is the same moment as zero, is `2001-01-01T00:00:00-00:00`.
/// - Dates beyond 146 billion years, where a calendar has no meaning, are a distance: `2001-01-01T00:00:00Z+1e+300s`.
/// - Infinite dates are `inf` and `-inf`. A NaN is `nan`, or `nan:fff8000000000000` if it is not `.nan`.
extension Date {
    /// The distance from 2001 in seconds from which on the text is a distance.
    private static let calendarLimitInSeconds = 0x1p62
    private static let referenceText = "2001-01-01T00:00:00Z"

    /// This date as text.
    package var iso8601: String {
        let seconds = timeIntervalSinceReferenceDate
        guard seconds.isFinite else { return NonFiniteText.text(of: seconds) }
        guard seconds.magnitude < Self.calendarLimitInSeconds else {
            return Self.referenceText + (seconds < 0 ? "" : "+") + seconds.description + "s"
        }
        let whole = Int64(seconds.rounded(.down))
        let days = floorDivide(whole, 86_400)
        let secondOfDay = whole - days * 86_400
        let date = CivilDate(daysSinceReferenceDate: days)

        var text = ASCIIText()
        text.append(year: date.year)
        text.append("-")
        text.append(date.month, width: 2)
        text.append("-")
        text.append(date.day, width: 2)
        text.append("T")
        text.append(secondOfDay / 3_600, width: 2)
        text.append(":")
        text.append(secondOfDay / 60 % 60, width: 2)
        text.append(":")
        text.append(secondOfDay % 60, width: 2)
        let fraction = fractionDigits(of: seconds)
        if !fraction.isEmpty {
            text.append(".")
            text.bytes.append(contentsOf: fraction)
        }
        if seconds == 0, seconds.sign == .minus {
            text.bytes.append(contentsOf: "-00:00".utf8)
        } else {
            text.append("Z")
        }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Creates the date from a text; nil if the text is not a date.
    ///
    /// The initializer accepts all output of ``iso8601`` and these variants:
    ///
    /// - `T`, `t` or a space between day and time
    /// - `Z`, `z` or an offset: `+02:00`, `+0200`, `+02`
    /// - seconds without a fraction, or with a fraction after a point or a comma
    /// - second 60, which is second 0 of the next minute
    ///
    /// A day without a time, or a time without a zone, does not define a moment, so the result is nil.
    package init?(iso8601 text: String) {
        var parser = ISO8601Parser(text.utf8.span)
        guard let seconds = parser.parse() ?? NonFiniteText.double(of: text) ?? Self.distance(in: text) else {
            return nil
        }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    /// Returns the seconds of a text that gives a date as its distance from the reference date; nil for any other text.
    private static func distance(in text: String) -> Double? {
        guard text.hasPrefix(referenceText), text.last == "s" else { return nil }
        let number = text.dropFirst(referenceText.count).dropLast()
        guard number.first == "+" || number.first == "-" else { return nil }
        guard let seconds = Double(number), seconds.isFinite, seconds.magnitude >= calendarLimitInSeconds else {
            return nil
        }
        return seconds
    }
}

/// Returns the digits after the point of `seconds - floor(seconds)`, as many as the double's shortest decimal form has.
private func fractionDigits(of seconds: Double) -> [UInt8] {
    // A double this large has no fraction.
    guard seconds.magnitude < 0x1p53 else { return [] }
    var digits: [UInt8] = []
    var pointIndex: Int?
    var exponent = 0
    var bytes = seconds.magnitude.description.utf8[...]
    while let byte = bytes.popFirst() {
        switch byte {
        case UInt8(ascii: "."): pointIndex = digits.count
        case UInt8(ascii: "e"):
            exponent = Int(String(Substring(bytes))) ?? 0
            bytes = bytes[bytes.endIndex...]
        default: digits.append(byte)
        }
    }
    let wholeCount = (pointIndex ?? digits.count) + exponent
    var fraction =
        wholeCount < 0
        ? Array(repeating: UInt8(ascii: "0"), count: -wholeCount) + digits
        : Array(digits.dropFirst(wholeCount))
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    if seconds < 0 { complement(&fraction) }
    return fraction
}

/// Replaces the digits of a fraction with the digits of one minus the fraction. The last digit is not zero, before and after.
private func complement(_ fraction: inout [UInt8]) {
    for index in fraction.indices {
        let nines = index == fraction.count - 1 ? UInt8(ascii: "0") + 10 : UInt8(ascii: "9")
        fraction[index] = UInt8(ascii: "0") + (nines - fraction[index])
    }
}

/// A text under construction, in ASCII.
private struct ASCIIText {
    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(32) }

    mutating func append(_ scalar: Unicode.Scalar) { bytes.append(UInt8(ascii: scalar)) }

    /// Appends `value`, padded with leading zeros to `width` digits.
    mutating func append(_ value: Int64, width: Int) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    mutating func append(year: Int64) {
        if (1...9_999).contains(year) { return append(year, width: 4) }
        append(year < 0 ? "-" : "+")
        append(abs(year), width: 6)
    }
}

/// Reads a date from front to back. Each step returns nil if the text is not a date.
@safe
private struct ISO8601Parser: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Returns the seconds since the reference date; nil unless the whole text is a date.
    mutating func parse() -> Double? {
        guard let date = parseDate(), skip("T") || skip("t") || skip(" ") else { return nil }
        guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60 else { return nil }
        guard skip(":"), let second = digits(2), second < 60 || (second == 60 && minute == 59) else { return nil }
        guard let fraction = parseFraction(), let offset = parseOffset(), position == bytes.count else { return nil }
        let isNegativeZero = offset.isBehind && offset.seconds == 0
        let local = date.daysSinceReferenceDate * 86_400 + hour * 3_600 + minute * 60 + second
        let whole = offset.isBehind ? local + offset.seconds : local - offset.seconds
        let seconds = seconds(whole: whole, fraction: fraction)
        return seconds == 0 && isNegativeZero ? -0.0 : seconds
    }

    private mutating func parseDate() -> CivilDate? {
        guard let year = parseYear(), skip("-"), let month = digits(2), skip("-"), let day = digits(2) else {
            return nil
        }
        return CivilDate(year: year, month: month, day: day)
    }

    private mutating func parseYear() -> Int64? {
        let isNegative = skip("-")
        guard isNegative || skip("+") else { return digits(4) }
        let start = position
        while position < bytes.count, isDigit(bytes[position]) { position += 1 }
        let count = position - start
        position = start
        // Twelve digits exceed the calendar's limit, and arithmetic on such years does not overflow.
        guard (6...12).contains(count), let year = digits(count), year <= 200_000_000_000 else { return nil }
        guard !isNegative || year > 0 else { return nil }
        return isNegative ? -year : year
    }

    /// Returns the range of the digits after the point, which is empty without a point.
    private mutating func parseFraction() -> Range<Int>? {
        guard skip(".") || skip(",") else { return position..<position }
        let start = position
        while position < bytes.count, isDigit(bytes[position]) { position += 1 }
        return position > start ? start..<position : nil
    }

    /// Returns the seconds between the time zone and UTC, and whether the time zone is behind.
    private mutating func parseOffset() -> (seconds: Int64, isBehind: Bool)? {
        if skip("Z") || skip("z") { return (0, false) }
        let isBehind = skip("-")
        guard isBehind || skip("+"), let hours = digits(2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        if position < bytes.count {
            _ = skip(":")
            guard let value = digits(2), value < 60 else { return nil }
            minutes = value
        }
        return (hours * 3_600 + minutes * 60, isBehind)
    }

    /// Returns the double nearest to whole seconds plus a fraction.
    ///
    /// The sum is formed in decimal and rounded once. The sum of two doubles would be rounded twice and could be wrong in the
    /// last bit.
    private func seconds(whole: Int64, fraction: Range<Int>) -> Double? {
        if fraction.isEmpty { return Double(whole) }
        var digits = fraction.map { bytes[$0] }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.isEmpty { return Double(whole) }
        var text = whole < 0 ? "-" : ""
        if whole < 0 { complement(&digits) }
        text += String(whole < 0 ? -(whole + 1) : whole)
        text += "."
        text += String(decoding: digits, as: UTF8.self)
        return Double(text)
    }

    private mutating func digits(_ count: Int) -> Int64? {
        guard position + count <= bytes.count else { return nil }
        var value: Int64 = 0
        for _ in 0..<count {
            let byte = bytes[position]
            guard isDigit(byte) else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position += 1
        }
        return value
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
