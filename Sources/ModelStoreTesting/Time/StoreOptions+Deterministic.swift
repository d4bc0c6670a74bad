import Foundation
public import ModelStore
import Synchronization

extension StoreOptions {
    /// Options for a store whose feed depends on nothing but what is written: the same writes in the same order make the same feed
    /// byte for byte, in any run and on any machine.
    ///
    /// Times come from `clock`, identifiers and random numbers from `seed`, and the feed names a program `test` with the process id 1
    /// as its origin. What stays is the order of the writes, which is the program's: writes of several tasks come as they come.
    ///
    /// ```swift
    /// let store = try Store.temporary(records: Sensor.self, options: .deterministic(seed: 7))
    /// ```
    ///
    /// Each store needs options of its own: those of one draw from one stream.
    ///
    /// - Parameters:
    ///   - seed: what identifiers and random numbers are made from.
    ///   - clock: the clock of transactions, ages and grace periods.
    ///   - worksOnCallers: whether writes and steps are done on the threads of the tasks that ask for them, so that with a
    ///     ``SeededExecutor`` the schedule is the seed's too. Readers of the feed are still woken by the store's threads, and what other
    ///     processes write is shown to models and live queries with the next write of this one.
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
        // Tests have hundreds of stores open at once, whose maps would take all address space; a full one grows.
        options.mapByteCount = 1 << 30
        options.worksOnCallers = worksOnCallers
        return options
    }
}

/// Seeds for transactions, each drawn from one before all.
private final class SeedStream: Sendable {
    private let random: Mutex<TransactionRandom>

    init(_ seed: UInt64) { random = Mutex(TransactionRandom(seed: seed)) }

    func next() -> UInt64 { random.withLock { $0.next() } }
}
