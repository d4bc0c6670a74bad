import StoreEngine
import Synchronization

/// What a closure has read of models, live results and other sources, to know whether it has to run again.
///
/// It belongs to the thread that the closure runs on.
package final class ReadLog {
    /// Something that was read, and at which of its versions.
    private var reads: [(source: any LoggedSource, version: UInt64, part: Int)] = []
    /// What was read and is told of changes for as long as it lives only: who waits for those has to keep it.
    package private(set) var kept: [ObjectIdentifier: AnyObject] = [:]
    private var lastKept: (any LoggedSource)?

    package init() {}

    package func note(_ source: any LoggedSource, version: UInt64, part: Int) {
        reads.append((source, version, part))
    }

    /// Notes something that has to be kept.
    ///
    /// - Parameter source: what was read of it. Most reads are of the same as the one before.
    func keep(_ object: @autoclosure () -> AnyObject?, for source: any LoggedSource) {
        if lastKept === source { return }
        lastKept = source
        if let object = object() { kept[ObjectIdentifier(object)] = object }
    }

    /// Whether something that was read is another by now.
    package var isStale: Bool { reads.contains { $0.source.hasChanged(since: $0.version, part: $0.part) } }

    /// How many logs are in use on all threads: while there are none, no thread has to look for its own.
    private static let useCount = Atomic<Int>(0)

    private static let slot = ThreadSlot()

    /// The log of the closure that the calling thread runs.
    package static var current: ReadLog? {
        guard useCount.load(ordering: .relaxed) > 0, let pointer = unsafe slot.pointer else { return nil }
        return unsafe Unmanaged<ReadLog>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Runs `body` with this as the calling thread's log.
    package func noting<T>(_ body: () throws -> T) rethrows -> T {
        _ = ReadLog.useCount.wrappingAdd(1, ordering: .relaxed)
        let outer = ReadLog.current
        // The caller keeps it for as long as the pointer is there.
        unsafe ReadLog.slot.pointer = Unmanaged.passUnretained(self).toOpaque()
        defer {
            unsafe ReadLog.slot.pointer = outer.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
            _ = ReadLog.useCount.wrappingSubtract(1, ordering: .relaxed)
        }
        return try body()
    }
}

/// What can be read and changes.
package protocol LoggedSource: AnyObject, Sendable {
    /// Whether the newest version, shown or not, differs in a part of it from an earlier one.
    func hasChanged(since version: UInt64, part: Int) -> Bool
}
