import Synchronization

/// A read, a change of the value, and a set, which happen as one step although the source only offers a getter and a setter.
///
/// The getter notes the version of each source that it reads. The setter's first set of such a source succeeds only if the source
/// still has that version. Otherwise the setter sets nothing, and the update runs again with the new value.
///
/// It belongs to the thread that runs it. A source that notes no versions is read and set without this guarantee.
package final class AtomicUpdate {
    private let log: ReadLog
    /// The update whose setter runs this one.
    private let outer: AtomicUpdate?
    private var isSet = false
    private var isOvertaken = false

    private init(_ log: ReadLog, in outer: AtomicUpdate?) {
        self.log = log
        self.outer = outer
    }

    /// Runs an update.
    ///
    /// - Parameters:
    ///   - get: reads the value.
    ///   - change: changes the value. It runs again after another thread's set.
    ///   - set: sets the value.
    package static func run<Value>(
        get: () -> Value, change: (inout Value) -> Void, set: (Value) -> Void
    ) {
        let outer = current
        while true {
            let log = ReadLog()
            var value = log.noting(get)
            change(&value)
            let update = AtomicUpdate(log, in: outer)
            update.making { set(value) }
            // If an outer update was overtaken too, it runs this one again.
            if !update.isOvertaken || outer?.isAnyOvertaken ?? false { return }
        }
    }

    /// Sets a source as a part of this update.
    ///
    /// - Parameter set: sets the source if it has the given version, or in any version if that is nil. Returns whether it did.
    package func set(_ source: any LoggedSource, _ set: (_ version: UInt64?) -> Bool) {
        if isAnyOvertaken { return }
        let expecting = chain.filter { !$0.isSet && $0.log.version(of: source) != nil }
        // The outermost update read the source first.
        let version = expecting.last?.log.version(of: source)
        // Observers that the set calls make sets of their own.
        let hasSet = AtomicUpdate.entering(nil) { set(version) }
        for update in expecting { (update.isSet, update.isOvertaken) = (hasSet, !hasSet) }
    }

    /// This update and those around it, from the innermost.
    private var chain: some Sequence<AtomicUpdate> { sequence(first: self) { $0.outer } }

    /// Whether another thread has set a source, so that the setter sets nothing more.
    package var isAnyOvertaken: Bool { chain.contains { $0.isOvertaken } }

    // MARK: The calling thread's update

    /// How many updates run on all threads. While there are none, no thread has to look for its own.
    private static let useCount = Atomic<Int>(0)

    private static let slot = ThreadSlot()

    /// The update whose set the calling thread makes.
    package static var current: AtomicUpdate? {
        guard useCount.load(ordering: .relaxed) > 0, let pointer = unsafe slot.pointer else { return nil }
        return unsafe Unmanaged<AtomicUpdate>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func making(_ set: () -> Void) {
        AtomicUpdate.useCount.wrappingAdd(1, ordering: .relaxed)
        AtomicUpdate.entering(self, set)
        AtomicUpdate.useCount.wrappingSubtract(1, ordering: .relaxed)
    }

    private static func entering<Result>(_ update: AtomicUpdate?, _ body: () -> Result) -> Result {
        let outer = unsafe slot.pointer
        // The caller keeps the update alive while the pointer is set.
        unsafe slot.pointer = update.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        defer { unsafe slot.pointer = outer }
        return body()
    }
}
