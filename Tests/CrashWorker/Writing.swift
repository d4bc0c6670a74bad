import Foundation
import StoreEngine
import StoreRuntime
import Synchronization

/// `write <directory> <full|relaxed|mixed> <writes of each lane, 0 for no end> <lane>…`: all lanes run concurrently, each with
/// one write after the other, until standard input ends or contains `stop`.
///
/// Prints `open <epoch>`, then `ack <lane> <number> <sequence> <hash> <full|relaxed>` for each write that returned. At the end it
/// prints `done`, or `error …` and exits with 1.
struct Writing {
    /// The durability that a write requests.
    enum Promise: String {
        case full, relaxed, mixed

        func durability(_ number: Int64, of lane: String) -> Durability {
            switch self {
            case .full: return .full
            case .relaxed: return .relaxed
            case .mixed:
                var random = LaneRandom(lane: lane, number: number, purpose: 4)
                return random.next() % 2 == 0 ? .full : .relaxed
            }
        }
    }

    let path: String
    let promise: Promise
    let limit: Int64
    let lanes: [String]
    let reports = Reports()

    init?(_ arguments: [String]) {
        guard arguments.count >= 4, let promise = Promise(rawValue: arguments[1]), let limit = Int64(arguments[2])
        else {
            return nil
        }
        path = arguments[0]
        self.promise = promise
        self.limit = limit
        lanes = Array(arguments[3...])
    }

    func run() async -> Int32 {
        let isStopped = StopFlag.whenInputEnds()
        do {
            let store = try await Store.open(
                at: path, records: [Entry.self, Lane.self], options: GivenOptions.store)
            reports.acknowledge("open \(try store.position.epoch)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in lanes {
                    group.addTask { try await write(LaneScript(lane: lane), to: store, until: isStopped) }
                }
                try await group.waitForAll()
            }
            store.close()
            reports.say("done")
            return 0
        } catch {
            reports.say("error \(error)")
            return 1
        }
    }

    private func write(_ script: LaneScript, to store: Store, until isStopped: StopFlag) async throws {
        let name = script.lane
        var number = try store.read { try $0.get(Lane.self, id: name)?.count ?? 0 }
        var left = limit == 0 ? Int64.max : limit
        while left > 0, !isStopped.isSet {
            number += 1
            left -= 1
            let next = number
            if next % 7 == 0 { try await fail(next, script, store) }
            let durability = promise.durability(next, of: name)
            let committed = try await store.write(returning: .position, durability: durability) { transaction in
                try Self.apply(script, next, to: &transaction)
            }
            let position = committed.position
            reports.acknowledge("ack \(name) \(next) \(position.sequence) \(position.hash) \(durability)")
        }
    }

    static func apply(
        _ script: LaneScript, _ number: Int64, to transaction: inout WriteTransaction
    ) throws {
        let count = try transaction.get(Lane.self, id: script.lane)?.count ?? 0
        guard count == number - 1 else {
            throw WorkerError(description: "lane \(script.lane) is at \(count) before its write \(number)")
        }
        for action in script.actions(number) {
            switch action {
            case .insert(let entry): try transaction.insert(entry)
            case .replace(let entry): try transaction.update(entry)
            case .delete(let id):
                guard try transaction.delete(Entry.self, id: id) else {
                    throw WorkerError(description: "\(id) is not there to be deleted")
                }
            }
        }
        try transaction.upsert(Lane(name: script.lane, count: number))
    }

    /// Runs a write that does all its work and then throws. Nothing of it may be visible later.
    private func fail(_ number: Int64, _ script: LaneScript, _ store: Store) async throws {
        do {
            try await store.write { transaction in
                try Self.apply(script, number, to: &transaction)
                throw Regret()
            }
        } catch is Regret {}
    }
}

struct WorkerError: Error, CustomStringConvertible {
    let description: String
}

private struct Regret: Error {}

/// Whether the worker should end.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Returns a flag that is set when standard input ends or delivers a line.
    static func whenInputEnds() -> StopFlag {
        let stop = StopFlag()
        Thread.detachNewThread {
            _ = readLine()
            stop.flag.store(true, ordering: .relaxed)
        }
        return stop
    }
}
