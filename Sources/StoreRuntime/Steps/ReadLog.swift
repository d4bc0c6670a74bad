import StoreEngine
import Synchronization

/// Logs the models, live results and other sources that a closure reads, to find out whether the closure has to rerun.
///
/// It belongs to the thread that runs the closure.
package final class ReadLog {
    /// The sources that were read, each with the version that was read.
    private var reads: [(source: any LoggedSource, version: UInt64, part: Int)] = []
    /// Objects that receive changes only while they live. Code that waits for those changes has to keep them alive.
    package private(set) var kept: [ObjectIdentifier: AnyObject] = [:]
    private var lastKept: (any LoggedSource)?

    package init() {}

    package func note(_ source: any LoggedSource, version: UInt64, part: Int) {
        reads.append((source, version, part))
    }

    /// Returns the first version that was read of a source; nil if it was not read.
    func version(of source: any LoggedSource) -> UInt64? { reads.first { $0.source === source }?.version }

    /// Notes an object that has to be kept alive.
    ///
    /// - Parameter source: the source that was read from it. Most reads have the same source as the read before.
    func keep(_ object: @autoclosure () -> AnyObject?, for source: any LoggedSource) {
        if lastKept === source { return }
        lastKept = source
        if let object = object() { kept[ObjectIdentifier(object)] = object }
    }

    /// Whether a source has changed since it was read.
    package var isStale: Bool { reads.contains { $0.source.hasChanged(since: $0.version, part: $0.part) } }

    /// How many logs are in use on all threads. While there are none, no thread has to look for its own.
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
        // The caller keeps the log alive while the pointer is set.
        unsafe ReadLog.slot.pointer = Unmanaged.passUnretained(self).toOpaque()
        defer {
            unsafe ReadLog.slot.pointer = outer.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
            _ = ReadLog.useCount.wrappingSubtract(1, ordering: .relaxed)
        }
        return try body()
    }
}

/// A source that can be read, and that changes.
package protocol LoggedSource: AnyObject, Sendable {
    /// Returns whether a part of the newest version, published or not, differs from an earlier version.
    func hasChanged(since version: UInt64, part: Int) -> Bool
}
