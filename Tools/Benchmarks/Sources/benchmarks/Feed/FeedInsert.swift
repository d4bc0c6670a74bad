import Foundation

/// What the feed costs a bulk insert.
///
/// ModelStore has no way to leave its feed out, and shall have none. So LMDB through its C interface does the same puts with the
/// feed's entry and without, in turns; ModelStore's own insert stands beside them.
struct FeedInsert {
    let directory: String
    let count: Int
    let rounds: Int

    private enum Kind: String, CaseIterable {
        case rawWithout = "LMDB, records and indexes"
        case rawWith = "LMDB, the feed's entry as well"
        case modelStore = "ModelStore"

        func open(_ directory: String) throws -> any Side {
            switch self {
            case .rawWithout: try RawSide(directory: directory, keepsFeed: false)
            case .rawWith: try RawSide(directory: directory)
            case .modelStore: try ModelStoreSide(directory: directory)
            }
        }
    }

    private struct Times {
        var elapsed: [Double] = []
        var processor: [Double] = []
    }

    func run() throws {
        var source = AccountSource()
        let accounts = source.next(count)
        print("\(count) accounts in one durable transaction with two indexes, medians of \(rounds) rounds in turns")
        var times: [Kind: Times] = [:]
        for round in 0..<rounds {
            for place in Kind.allCases.indices {
                let kind = Kind.allCases[(place + round) % Kind.allCases.count]
                try measure(kind, accounts, &times[kind, default: Times()])
            }
        }
        for kind in Kind.allCases {
            let (elapsed, processor) = (median(kind, times, \.elapsed), median(kind, times, \.processor))
            let name = kind.rawValue.padding(toLength: 32, withPad: " ", startingAt: 0)
            print(
                String(
                    format: "  %@%6.0f ns a record, of which %6.0f ns of a processor", name,
                    elapsed / Double(count) * 1e9, processor / Double(count) * 1e9))
        }
        print(
            String(
                format: "  the feed's part of LMDB's insert: %.0f%%, of its processor time %.0f%%",
                part(times, \.elapsed) * 100, part(times, \.processor) * 100))
    }

    private func measure(_ kind: Kind, _ accounts: [Account], _ times: inout Times) throws {
        let path = directory + "/insert"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let side = try kind.open(path)
        let (elapsed, processor) = (Clock.elapsed(), Clock.processor())
        try side.insertTogether(accounts)
        times.elapsed.append(Clock.elapsed() - elapsed)
        times.processor.append(Clock.processor() - processor)
        try side.close()
    }

    private func median(_ kind: Kind, _ times: [Kind: Times], _ what: KeyPath<Times, [Double]>) -> Double {
        let sorted = (times[kind]?[keyPath: what] ?? []).sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    private func part(_ times: [Kind: Times], _ what: KeyPath<Times, [Double]>) -> Double {
        1 - median(.rawWithout, times, what) / median(.rawWith, times, what)
    }

    private enum Clock {
        static func elapsed() -> Double { seconds(CLOCK_MONOTONIC) }
        static func processor() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

        private static func seconds(_ clock: clockid_t) -> Double {
            var time = timespec()
            unsafe clock_gettime(clock, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
    }
}
