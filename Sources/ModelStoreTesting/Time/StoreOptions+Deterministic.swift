import Foundation
public import ModelStore
import Synchronization

extension StoreOptions {
    /// Options for a store whose feed depends only on its writes. The same writes in the same order make the same feed byte for
    /// byte, in any run and on any machine.
    ///
    /// Times come from `clock`, and identifiers and random numbers from `seed`. The feed names the program `test` with the
    /// process id 1 as its origin. The program remains responsible for the order of writes: writes of several tasks are ordered
    /// as they arrive.
    ///
    /// ```swift
    /// let store = try Store.temporary(records: Sensor.self, options: .deterministic(seed: 7))
    /// ```
    ///
    /// Each store needs options of its own: stores with the same options draw from one stream.
    ///
    /// - Parameters:
    ///   - seed: the seed of identifiers and random numbers.
    ///   - clock: the clock of transactions, ages and grace periods.
    ///   - worksOnCallers: whether writes and steps run on the threads of the tasks that ask for them. With a ``SeededExecutor``,
    ///     the seed then determines this part of the schedule too. The store's threads still wake readers of the feed. Models and
    ///     live queries receive writes of other processes with the next write of this process.
    public static func deterministic(
        seed: UInt64, clock: TestClock = TestClock(), worksOnCallers: Bool = false
    ) -> StoreOptions {
        let seeds = SeedStream(seed)
        var options = StoreOptions()
        options.clock = clock.date
        options.ownership = OwnershipOptions(clock: clock)
        options.randomSeed = { seeds.next() }
        options.originName = "test"
        options.originProcessID = 1
        // Tests can have hundreds of open stores, whose maps would exhaust the address space. A full map grows.
        options.addressSpaceByteCount = 1 << 30
        options.worksOnCallers = worksOnCallers
        return options
    }
}

/// Seeds for transactions, drawn from a single seed.
private final class SeedStream: Sendable {
    private let random: Mutex<TransactionRandom>

    init(_ seed: UInt64) { random = Mutex(TransactionRandom(seed: seed)) }

    func next() -> UInt64 { random.withLock { $0.next() } }
}
