import StoreEngine

/// A read view for an observer that must receive each change once. After the view was opened, the observer receives no
/// notification of a change that it can see in the view.
///
/// A view opens at the newest applied position, which may be ahead of the published one. Suppose an observer reads in such a view
/// at once, and watches the values that it has read. It is then notified when the position is published, although it has seen
/// that position. So this view waits, open, until its position is published, and is entered after that.
package struct SteadyView {
    /// Nil for an observer without a store.
    private let storage: ReadViewStorage?
    private let core: StoreCore?

    nonisolated(nonsending) init(_ core: StoreCore?) async throws {
        self.core = core
        guard let core else {
            storage = nil
            return
        }
        try core.dispatcher.start()
        let storage = try core.dispatcher.openView()
        self.storage = storage
        await core.dispatcher.waitUntilPublished(storage.sequence)
    }

    /// Waits a little before opening a view is retried: the table of readers may be full for the moment.
    ///
    /// - Throws: the error, if retrying does not help.
    package nonisolated(nonsending) static func pause(after error: any Error) async throws {
        if error is CancellationError || (error as? StoreError)?.isLasting ?? false { throw error }
        try? await Task.sleep(for: .milliseconds(50))
    }

    /// Runs a closure in the view. Call it once.
    package func enter<T>(_ body: () throws -> T) rethrows -> T {
        guard let core, let storage else { return try body() }
        return try core.enter(storage, body)
    }
}

extension StoreError {
    /// Whether a store that cannot be read for this reason cannot be read later either. Then it is closed, another program has
    /// changed the schema beyond what this one can read, the catalog or the feed's head is damaged, or the files have lost their
    /// names.
    var isLasting: Bool { [.closed, .schemaMismatch, .damaged, .filesRemoved].contains(code) }
}
