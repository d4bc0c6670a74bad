import Foundation

/// Measures the cost of the feed in a bulk insert. It compares ModelStore with its change set and without it, which no program
/// can do, and LMDB's C interface with the same puts. The sides take turns.
struct FeedInsert {
    let directory: String
    let count: Int
    let rounds: Int

    private enum Kind: String, CaseIterable {
        case rawWithout = "LMDB, records and indexes"
        case rawWith = "LMDB, the feed's entry as well"
        case modelStoreWithout = "ModelStore without its feed"
        case modelStore = "ModelStore"

        func open(_ directory: String) throws -> any Side {
            switch self {
            case .rawWithout: try RawSide(directory: directory, keepsFeed: false)
            case .rawWith: try RawSide(directory: directory)
            case .modelStore, .modelStoreWithout: try ModelStoreSide(directory: directory)
            }
        }

        func insert(_ accounts: [Account], into side: any Side) throws {
            if self == .modelStoreWithout, let store = side as? ModelStoreSide {
                return try store.insertTogether(accounts, isFed: false)
            }
            try side.insertTogether(accounts)
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
        for (name, without, with) in [
            ("ModelStore's", Kind.modelStoreWithout, Kind.modelStore), ("LMDB's", .rawWithout, .rawWith),
        ] {
            let elapsed = part(times, \.elapsed, without, with) * 100
            let processor = part(times, \.processor, without, with) * 100
            print("  the feed's part of \(name) insert: \(Int(elapsed))%, of its processor time \(Int(processor))%")
        }
    }

    private func measure(_ kind: Kind, _ accounts: [Account], _ times: inout Times) throws {
        let path = directory + "/insert"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let side = try kind.open(path)
        let (elapsed, processor) = (Clock.elapsed(), Clock.processor())
        try kind.insert(accounts, into: side)
        times.elapsed.append(Clock.elapsed() - elapsed)
        times.processor.append(Clock.processor() - processor)
        try side.close()
    }

    private func median(_ kind: Kind, _ times: [Kind: Times], _ what: KeyPath<Times, [Double]>) -> Double {
        let sorted = (times[kind]?[keyPath: what] ?? []).sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    private func part(
        _ times: [Kind: Times], _ what: KeyPath<Times, [Double]>, _ without: Kind, _ with: Kind
    ) -> Double {
        1 - median(without, times, what) / median(with, times, what)
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
