import Foundation
import StoreEngine
import TestSupport

extension String: OrderedTestValue {
    static let extremes = [
        "", "\0", "\0\0", "a", "a\0", "a\0b", "\u{1}", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}",
        "\u{FFFD}", "\u{FFFF}", "\u{10000}", "\u{1F600}", "\u{E0001}", "\u{F0000}", "\u{10FFFF}", "é", "e\u{301}",
        "日本語",
        "👨‍👩‍👧‍👦", String(repeating: "long ", count: 20_000), String(repeating: "\0", count: 300),
    ]

    static func random(_ random: inout TestRandom) -> String {
        let alphabet: [Unicode.Scalar] = [
            "\0", "\u{1}", "a", "b", "\u{FF}", "\u{301}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
        ]
        let count = random.oneIn(20) ? random.below(400) : random.below(6)
        var text = ""
        for _ in 0..<count { text.unicodeScalars.append(random.pick(alphabet)) }
        return text
    }

    func isSame(as other: String) -> Bool { unicodeScalars.elementsEqual(other.unicodeScalars) }

    func precedes(_ other: String) -> Bool {
        unicodeScalars.lexicographicallyPrecedes(other.unicodeScalars) { $0.value < $1.value }
    }
}

extension Data: OrderedTestValue {
    static let extremes = [Data(), Data([0]), Data([0, 0xFF]), Data([0xFF, 0]), Data((0...255).map { UInt8($0) })]

    static func random(_ random: inout TestRandom) -> Data {
        Data((0..<random.below(7)).map { _ in random.pick([0, 0, 1, 0xFE, 0xFF]) })
    }

    func precedes(_ other: Data) -> Bool { lexicographicallyPrecedes(other) }
}

extension UUID: OrderedTestValue {
    static let extremes = [UUID(high: 0, low: 0), UUID(high: .max, low: .max), UUID(high: 1 << 63, low: 0), .newID]

    static func random(_ random: inout TestRandom) -> UUID {
        UUID(high: random.oneIn(2) ? 7 : random.next(), low: random.next())
    }

    func precedes(_ other: UUID) -> Bool { uuidString < other.uuidString }
}

extension Date: OrderedTestValue {
    static let extremes = [
        Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 0),
        .transactionTime, Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude),
        Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude),
        Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
    ]

    static func random(_ random: inout TestRandom) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(Int64(truncatingIfNeeded: random.next()) >> 30) / 1_024)
    }
}

extension URL: OrderedTestValue {
    static let extremes =
        [
            "https://example.com", "https://example.com/a%20b?q=1&r=%C3%A9#f", "file:///tmp/a", "mailto:a@b.c",
            "relative/path", "?query", "#fragment", "//host/path", "data:text/plain,hello", "http://[::1]:8080/",
            "https://user:secret@host/path;v=1",
        ].compactMap { URL(string: $0) }
        + [
            URL(fileURLWithPath: "/tmp/with space"), URL(string: "../up", relativeTo: URL(string: "https://a.b/c/d")),
            URL(string: "x?y#z", relativeTo: URL(string: "https://a.b/c/d")),
        ].compactMap { $0 }

    static func random(_ random: inout TestRandom) -> URL {
        let path = (0..<random.below(4)).map { _ in random.pick(["a", "b", "%00", "é", "z/"]) }.joined()
        let text = random.pick(["https://h/", "http://h/", "x:"]) + path
        return URL(string: text) ?? extremes[0]
    }

    func isSame(as other: URL) -> Bool {
        self == other && relativeString == other.relativeString
            && baseURL?.absoluteString == other.baseURL?.absoluteString
    }

    func precedes(_ other: URL) -> Bool { absoluteString.precedes(other.absoluteString) }
}

extension Decimal: OrderedTestValue {
    static let extremes =
        [
            0, 1, -1, .pi, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -.greatestFiniteMagnitude,
            -.leastNonzeroMagnitude, Decimal(sign: .plus, exponent: 127, significand: 1),
            Decimal(sign: .minus, exponent: -127, significand: 1), Decimal(sign: .plus, exponent: -128, significand: 7),
            Decimal(sign: .plus, exponent: 3, significand: 100),
        ]
        + [
            "99999999999999999999999999999999999999", "12345678901234567890123456789012345678",
            "0.00000000000000000000000000000000000001", "-340282366920938463463374607431768211455", "1.50", "-0.1",
            "0.1",
            "12345678901234567890.123456789012345678",
        ].compactMap { Decimal(string: $0) }

    static func random(_ random: inout TestRandom) -> Decimal {
        if random.oneIn(8) { return random.pick(extremes) }
        let digits = 1 + (random.oneIn(3) ? random.below(38) : random.below(4))
        let text = (0..<digits).map { _ in "\(random.below(10))" }.joined()
        let significand = Decimal(string: text) ?? 0
        let exponent = random.oneIn(3) ? random.below(160) - 100 : random.below(7) - 3
        return Decimal(sign: random.oneIn(2) ? .plus : .minus, exponent: exponent, significand: significand)
    }

    func isSame(as other: Decimal) -> Bool { isNaN ? other.isNaN : self == other }

    func precedes(_ other: Decimal) -> Bool { isNaN ? !other.isNaN : !other.isNaN && self < other }
}

extension Duration: OrderedTestValue {
    static let extremes = [
        Duration.zero, .seconds(1), .seconds(-1), Duration(attoseconds: .max), Duration(attoseconds: .min),
        Duration(attoseconds: 1), Duration(attoseconds: -1), .seconds(Int64.max), .seconds(Int64.min),
        Duration(attoseconds: 1 << 64), Duration(attoseconds: -(1 << 64)),
    ]

    static func random(_ random: inout TestRandom) -> Duration {
        let high = Int128(Int64(truncatingIfNeeded: random.next()) >> Int64(random.below(64)))
        return Duration(attoseconds: high << 64 | Int128(random.next() >> UInt64(random.below(64))))
    }
}

/// An enum with raw values.
enum Shade: Int16, IndexableValue, CaseIterable, OrderedTestValue {
    case light = 5
    case dark = -5
    case none = 0

    static var extremes: [Shade] { allCases }

    static func random(_ random: inout TestRandom) -> Shade { random.pick(allCases) }

    func precedes(_ other: Shade) -> Bool { rawValue < other.rawValue }
}

extension Optional: TestValue where Wrapped: TestValue {
    static var extremes: [Wrapped?] { [.none] + Wrapped.extremes.map { .some($0) } }

    static func random(_ random: inout TestRandom) -> Wrapped? { random.oneIn(4) ? .none : .some(.random(&random)) }

    func isSame(as other: Wrapped?) -> Bool {
        switch (self, other) {
        case (.none, .none): true
        case (let mine?, let its?): mine.isSame(as: its)
        default: false
        }
    }
}

extension Optional: OrderedTestValue where Wrapped: OrderedTestValue {
    func precedes(_ other: Wrapped?) -> Bool {
        guard let other else { return false }
        return self.map { $0.precedes(other) } ?? true
    }
}

extension Array: TestValue where Element: TestValue {
    static var extremes: [[Element]] { [[], Element.extremes, Array(Element.extremes.prefix(1))] }

    static func random(_ random: inout TestRandom) -> [Element] {
        (0..<random.below(5)).map { _ in Element.random(&random) }
    }

    func isSame(as other: [Element]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
    }
}

extension Set: TestValue where Element: TestValue {
    static var extremes: [Set<Element>] { [[], Set(Element.extremes.prefix(20))] }

    static func random(_ random: inout TestRandom) -> Set<Element> { Set([Element].random(&random)) }
}

extension Dictionary: TestValue where Key: TestValue, Value: TestValue {
    static var extremes: [[Key: Value]] {
        [[:], Dictionary(zip(Key.extremes, Value.extremes)) { first, _ in first }]
    }

    static func random(_ random: inout TestRandom) -> [Key: Value] {
        var result: [Key: Value] = [:]
        for _ in 0..<random.below(5) { result[Key.random(&random)] = Value.random(&random) }
        return result
    }

    func isSame(as other: [Key: Value]) -> Bool {
        count == other.count && allSatisfy { pair in other[pair.key].map { pair.value.isSame(as: $0) } ?? false }
    }
}
