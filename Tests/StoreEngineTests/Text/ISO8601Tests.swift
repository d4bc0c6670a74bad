import Foundation
import StoreEngine
import TestSupport
import Testing

@Suite("ISO 8601 dates")
struct ISO8601Tests {
    static let known: [(Double, String)] = [
        (0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.25Z"),
        (-0.25, "2000-12-31T23:59:59.75Z"), (-1, "2000-12-31T23:59:59Z"), (86_400, "2001-01-02T00:00:00Z"),
        (-26_438_400, "2000-03-01T00:00:00Z"), (-26_524_800, "2000-02-29T00:00:00Z"),
        (-3_187_296_000, "1900-01-01T00:00:00Z"), (1_169_164_800, "2038-01-19T00:00:00Z"),
        (736_672_089.123, "2024-05-06T07:08:09.123Z"), (1e-7, "2001-01-01T00:00:00.0000001Z"),
        (-1e-7, "2000-12-31T23:59:59.9999999Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
        (252_423_993_600, "+010000-01-01T00:00:00Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
        (-63_113_904_001, "+000000-12-31T23:59:59Z"), (-63_145_526_400, "+000000-01-01T00:00:00Z"),
        (-63_145_526_401, "-000001-12-31T23:59:59Z"), (.infinity, "inf"), (-.infinity, "-inf"),
        (1e300, "2001-01-01T00:00:00Z+1e+300s"), (-1e19, "2001-01-01T00:00:00Z-1e+19s"),
    ]

    @Test("known dates have their known text", arguments: known.indices)
    func knownDates(index: Int) {
        let (seconds, text) = Self.known[index]
        #expect(Date(timeIntervalSinceReferenceDate: seconds).iso8601 == text)
        #expect(Date(iso8601: text)?.timeIntervalSinceReferenceDate == seconds)
    }

    @Test("not a number is nan, negative zero the same moment as zero with a text of its own")
    func special() {
        #expect(Date(timeIntervalSinceReferenceDate: .nan).iso8601 == "nan")
        #expect(Date(iso8601: "nan")?.timeIntervalSinceReferenceDate.isNaN == true)
        let negativeZero = "2001-01-01T00:00:00-00:00"
        #expect(Date(timeIntervalSinceReferenceDate: -0.0).iso8601 == negativeZero)
        #expect(Date(iso8601: negativeZero)?.timeIntervalSinceReferenceDate.sign == .minus)
        #expect(Date(iso8601: "2001-01-01T00:00:00Z")?.timeIntervalSinceReferenceDate.sign == .plus)
        #expect(Date(iso8601: "2001-01-01T00:00:00.5-00:00")?.timeIntervalSinceReferenceDate == 0.5)
    }

    @Test("distant dates and the ends of the calendar read back")
    func extremes() {
        let far: [Date] = [
            .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude),
            Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
            Date(timeIntervalSinceReferenceDate: -.leastNonzeroMagnitude),
            Date(timeIntervalSinceReferenceDate: 0x1p62), Date(timeIntervalSinceReferenceDate: (0x1p62).nextDown),
            Date(timeIntervalSinceReferenceDate: -(0x1p62).nextDown),
        ]
        for date in far {
            #expect(Date(iso8601: date.iso8601) == date, "\(date.iso8601)")
        }
        // Foundation's calendar calls this date 0001-01-01, because it is Julian before 1582.
        #expect(Date.distantPast.iso8601 == "+000000-12-30T00:00:00Z")
        #expect(Date.distantFuture.iso8601 == "4001-01-01T00:00:00Z")
    }

    static let variants: [(String, String)] = [
        ("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"), ("2024-05-06t07:08:09-0230", "2024-05-06T09:38:09Z"),
        ("2024-05-06 07:08:09.500z", "2024-05-06T07:08:09.5Z"),
        ("2024-01-01T00:00:00,25+01", "2023-12-31T23:00:00.25Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"), ("2024-05-06T07:08:09.000Z", "2024-05-06T07:08:09Z"),
        ("0000-01-01T00:00:00Z", "+000000-01-01T00:00:00Z"), ("+002024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
        ("1999-12-31T23:59:59.75-00:00", "1999-12-31T23:59:59.75Z"),
    ]

    @Test("takes the usual variants", arguments: variants.indices)
    func readsVariants(index: Int) {
        let (text, canonical) = Self.variants[index]
        #expect(Date(iso8601: text)?.iso8601 == canonical)
    }

    @Test(
        "refuses what is no moment",
        arguments: [
            "", "2024", "2024-05-06", "2024-05-06T07:08:09", "2024-05-06T07:08Z", "2024-13-01T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z",
            "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z", "2024-01-01T00:00:61Z",
            "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Z ", " 2024-01-01T00:00:00Z", "2024-01-01T00:00:00ZZ",
            "24-01-01T00:00:00Z",
            "+2024-01-01T00:00:00Z", "-000000-01-01T00:00:00Z", "+999999999999-01-01T00:00:00Z",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00+1", "2024-01-01T00:00:00+01:", "2024-01-01T00:00:00+01:60", "2024-1-1T0:0:0Z", "Inf",
            "NaN",
            "2001-01-01T00:00:00Z+5s", "2001-01-01T00:00:00Z+1e999s", "2001-01-01T00:00:00Z1e300s",
            "２０２４-01-01T00:00:00Z",
        ])
    func refuses(text: String) { #expect(Date(iso8601: text) == nil) }

    @Test(
        "random moments of every magnitude read back as the identical double", .timeLimit(.minutes(20)),
        arguments: 0..<8
    )
    func roundTrip(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var failures: [Double] = []
        // First random bits, then times of the range that services use, with fractions of any precision.
        for round in 0..<TestLength.runs(50_000, long: 250_000) {
            let bits = random.next()
            let seconds: Double
            switch round % 5 {
            case 0: seconds = Double(bitPattern: bits)
            case 1: seconds = Double(Int64(bitPattern: bits) >> 20) / 1_000
            case 2: seconds = Double(Int64(bitPattern: bits) >> 12) / 1_000_000
            case 3: seconds = Double(Int64(bitPattern: bits)) * 0x1p-30
            default: seconds = Double(Int64(bitPattern: bits)) * 0x1p-52
            }
            guard !seconds.isNaN else { continue }
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            if Date(iso8601: date.iso8601)?.timeIntervalSinceReferenceDate != seconds { failures.append(seconds) }
        }
        #expect(failures.isEmpty, "seed \(seed): \(failures.prefix(5))")
    }

    @Test("the fraction is the shortest that reads back")
    func shortest() throws {
        var random = SplitMix64(state: 99)
        for _ in 0..<2_000 {
            let seconds = Double(Int64(bitPattern: random.next()) >> 30) * 0x1p-4 * 1.1
            let text = Date(timeIntervalSinceReferenceDate: seconds).iso8601
            guard let point = text.firstIndex(of: ".") else { continue }
            let whole = try #require(Date(iso8601: text[..<point] + "Z")).timeIntervalSinceReferenceDate
            let count = text.distance(from: point, to: text.endIndex) - 2
            // One digit less, rounded up or down, must read as a different double.
            let scale = Int64(count - 1 == 0 ? 1 : pow(10, Double(count - 1)))
            let near = Int64(((seconds - whole) * Double(scale)).rounded(.down))
            for digits in [near, near + 1] where digits < scale {
                let padded =
                    String(repeating: "0", count: count - 1 - (count == 1 ? 0 : String(digits).count)) + String(digits)
                let shorter = text[..<point] + (count == 1 ? "" : "." + padded) + "Z"
                #expect(Date(iso8601: String(shorter))?.timeIntervalSinceReferenceDate != seconds, "\(text) \(shorter)")
            }
        }
    }

    @Test("agrees with Foundation's calendar")
    func foundation() {
        let formatter = ISO8601DateFormatter()
        var random = SplitMix64(state: 5)
        for _ in 0..<2_000 {
            // The dates are after 1582, when Foundation switches calendars.
            let seconds = Double(Int64(random.next() % 265_000_000_000) - 13_000_000_000)
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            guard date.iso8601.first != "+" else { continue }
            #expect(date.iso8601 == formatter.string(from: date))
        }
    }
}

private struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
