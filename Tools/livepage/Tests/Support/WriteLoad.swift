import Foundation
@testable import Livepage
import ModelStore
import Synchronization

/// Changes the records of a service's store continuously, from this process.
///
/// It changes two readings at a time, and sometimes a room. So everything that a client displays changes.
final class WriteLoad: Sendable {
    private let store: Store
    private let shallStop = Atomic(false)
    private let commits = Atomic(0)
    private let failure = Mutex<(any Error)?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    /// Starts the changes.
    init(_ service: Service) throws {
        store = try service.openStore()
        Thread.detachNewThread { [self] in
            do {
                while !shallStop.load(ordering: .relaxed) { try write() }
            } catch {
                failure.withLock { $0 = error }
            }
            ended.signal()
        }
    }

    /// The number of commits so far.
    var count: Int { commits.load(ordering: .relaxed) }

    /// Returns the current readings.
    func rows() throws -> [Reading] { try store.read { Array(try $0.fetch(Reading.order { $0.sensor.ascending })) } }

    /// Stops the changes.
    ///
    /// - Throws: the error of a failed write.
    func stop() throws {
        shallStop.store(true, ordering: .relaxed)
        ended.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private func write() throws {
        let number = commits.add(1, ordering: .relaxed).newValue
        let rooms = ["attic", "cellar", "hall", "kitchen"]
        let room = rooms[number % rooms.count]
        try store.write { transaction in
            for place in 1...2 {
                try transaction.update(Reading.self, id: "\(room)-\(place)") {
                    $0.celsius = Double((number * place) % 400) / 10
                }
            }
            if number % 10 == 0 { try transaction.update(Room.self, id: room) { $0.name = "\(room) \(number)" } }
        }
    }
}
