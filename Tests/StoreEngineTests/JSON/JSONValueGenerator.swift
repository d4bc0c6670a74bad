import StoreEngine

/// Makes JSON values from a seed. The same seed gives the same values.
struct JSONValueGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func value(depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth < 5 ? 9 : 6), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2, 3: return .number(number())
        case 4, 5: return .string(string())
        case 6: return .array((0..<count()).map { _ in value(depth: depth + 1) })
        default:
            var members: [JSONMember] = []
            for index in 0..<count() {
                members.append(JSONMember("\(index):" + string(), value(depth: depth + 1)))
            }
            return .object(members)
        }
    }

    mutating func number() -> JSONNumber {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: return JSONNumber(Int64(bitPattern: next()))
        case 1: return JSONNumber(next())
        case 2: return JSONNumber(Int64.random(in: -1000...1000, using: &self))
        default: return JSONNumber(Double(bitPattern: next())) ?? JSONNumber(0)
        }
    }

    mutating func string() -> String {
        var text = ""
        for _ in 0..<count() { text.unicodeScalars.append(scalar()) }
        return text
    }

    private mutating func scalar() -> Unicode.Scalar {
        let limit: UInt32 = [0x20, 0x80, 0x80, 0x80, 0x800, 0x11_0000][Int.random(in: 0..<6, using: &self)]
        return Unicode.Scalar(UInt32.random(in: 0..<limit, using: &self)) ?? "\u{FFFD}"
    }

    private mutating func count() -> Int {
        let limit = [2, 4, 8, 24][Int.random(in: 0..<4, using: &self)]
        return Int.random(in: 0..<limit, using: &self)
    }
}
