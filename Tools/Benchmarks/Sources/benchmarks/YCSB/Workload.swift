/// One of the core workloads of the Yahoo! Cloud Serving Benchmark, with its published mix and distribution.
///
/// Cooper, Silberstein, Tam, Ramakrishnan and Sears, "Benchmarking cloud serving systems with YCSB" (SoCC 2010).
enum Workload: String, CaseIterable, Codable {
    case a = "A"
    case b = "B"
    case c = "C"
    case d = "D"
    case e = "E"
    case f = "F"

    /// The order in which YCSB's documentation runs them after one load ("Core Workloads"): those that insert come last. The
    /// documentation loads the data again before E. This benchmark does not.
    static let inOrder: [Workload] = [.a, .b, .c, .f, .d, .e]

    /// The kinds of operations.
    enum Operation {
        case read, update, insert, scan, readModifyWrite
    }

    /// The workload's description in YCSB's files.
    var what: String {
        switch self {
        case .a: "update heavy: half reads, half updates, zipfian"
        case .b: "read mostly: 95 reads to 5 updates, zipfian"
        case .c: "read only, zipfian"
        case .d: "read latest: 95 reads to 5 inserts, the newest most"
        case .e: "short ranges: 95 scans of 1 to 100 records to 5 inserts, zipfian"
        case .f: "read, modify, write: half reads, half of these, zipfian"
        }
    }

    /// Returns the target for ModelStore's speed relative to GRDB with a number of clients; nil for none.
    func target(clients: Int) -> Double? {
        switch self {
        case .c, .d, .e: 3
        case .a, .b, .f: clients == 64 ? 3 : 1.3
        }
    }

    /// Whether nearly every operation waits for the disk.
    var isDurable: Bool { self == .a || self == .f }

    func operation(_ random: inout SplitMix64) -> Operation {
        let percent = random.next() % 100
        switch self {
        case .a: return percent < 50 ? .read : .update
        case .b: return percent < 95 ? .read : .update
        case .c: return .read
        case .d: return percent < 95 ? .read : .insert
        case .e: return percent < 95 ? .scan : .insert
        case .f: return percent < 50 ? .read : .readModifyWrite
        }
    }
}

/// The record of YCSB: ten fields of 100 bytes.
struct WorkloadRecord {
    static let fieldCount = 10
    static let fieldByteCount = 100

    /// Returns a random value for a field. The seed decides it.
    static func value(_ random: inout SplitMix64) -> String {
        var text = ""
        text.reserveCapacity(fieldByteCount)
        while text.utf8.count < fieldByteCount {
            var word = random.next()
            for _ in 0..<10 where text.utf8.count < fieldByteCount {
                text.unicodeScalars.append(Unicode.Scalar(UInt8(97 + word % 26)))
                word /= 26
            }
        }
        return text
    }
}
