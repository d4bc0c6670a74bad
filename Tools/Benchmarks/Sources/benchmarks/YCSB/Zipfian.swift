import Foundation

/// Random numbers below a count, of which a few are frequent: rank r has a probability proportional to 1 / r^0.99.
///
/// The method is that of Gray, Sundaresan, Englert, Baclawski and Weinberger, "Quickly generating billion-record synthetic
/// databases" (SIGMOD 1994), with YCSB's constant.
struct Zipfian {
    private static let theta = 0.99
    private(set) var count: Int
    private var zeta: Double
    private let zetaOfTwo = 1 + pow(0.5, theta)

    init(count: Int) {
        self.count = count
        zeta = (1...count).reduce(0) { $0 + 1 / pow(Double($1), Self.theta) }
    }

    /// Adds one number to the range.
    mutating func grow() {
        count += 1
        zeta += 1 / pow(Double(count), Self.theta)
    }

    /// Returns the next rank, from 0.
    func next(_ random: inout SplitMix64) -> Int {
        let u = Double(random.next() >> 11) * 0x1p-53
        let uz = u * zeta
        if uz < 1 { return 0 }
        if uz < zetaOfTwo { return 1 }
        let alpha = 1 / (1 - Self.theta)
        let eta = (1 - pow(2 / Double(count), 1 - Self.theta)) / (1 - zetaOfTwo / zeta)
        return min(count - 1, Int(Double(count) * pow(eta * u - eta + 1, alpha)))
    }
}

/// The keys of YCSB: "user" and the FNV-1a hash of a number, so that keys that are adjacent in time are not adjacent in key
/// order.
enum WorkloadKey {
    static func text(_ number: Int) -> String { "user\(hash(UInt64(number)))" }

    /// Returns the number of a rank, so that popular records are spread over all keys.
    static func scrambled(_ rank: Int, count: Int) -> Int { Int(hash(UInt64(rank)) % UInt64(count)) }

    private static func hash(_ number: UInt64) -> UInt64 {
        var value = number
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for _ in 0..<8 {
            hash = (hash ^ (value & 0xFF)) &* 1_099_511_628_211
            value >>= 8
        }
        return hash >> 1
    }
}
