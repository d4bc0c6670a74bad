import StoreEngine

/// A read view for what is to be told of each change once: nothing that can be seen in it is told of after it was opened.
///
/// A view opens at the newest position that is applied, which may be ahead of the one that is shown. Who reads in it at once, and
/// watches what it has read, hears of that position when it is shown, though it has seen it. So this one waits, open, until its
/// position is shown, and is entered after that.
package struct SteadyView {
    /// Nil for those that know no store.
    private let storage: ReadViewStorage?
    private let core: StoreCore?

    nonisolated(nonsending) init(_ core: StoreCore?) async throws {
        self.core = core
        guard let core else {
            storage = nil
            return
        }
        try core.stepper.start()
        let storage = try core.stepper.openView()
        self.storage = storage
        await core.stepper.untilShown(storage.sequence)
    }

    /// Waits a little before a view that could not be opened is tried again: the table of readers may be full for the moment.
    ///
    /// - Throws: the error, where trying again would not help.
    package nonisolated(nonsending) static func pause(after error: any Error) async throws {
        if error is CancellationError || (error as? StoreError)?.isLasting ?? false { throw error }
        try? await Task.sleep(for: .milliseconds(50))
    }

    /// Runs a closure in the view. Once.
    package func enter<T>(_ body: () throws -> T) rethrows -> T {
        guard let core, let storage else { return try body() }
        return try core.enter(storage, body)
    }
}

extension StoreError {
    /// Whether a store that cannot be read for this reason cannot be read later either: it is closed, another program has changed
    /// the schema beyond what this one can read, or the catalog or the feed's head is damaged.
    var isLasting: Bool { [.closed, .schemaMismatch, .damaged].contains(code) }
}
