package import StoreEngine

extension Store {
    /// Waits until a position is published to models and live results. Any process may have written it, or may still write it.
    ///
    /// - Throws: as ``wait(for:)``.
    package func waitUntilPublished(_ position: Position) async throws {
        try await wait(for: position)
        // If no steps are made, there is nothing to publish to.
        if core.dispatcher.isRunning { await core.dispatcher.waitUntilPublished(position.sequence) }
    }
}
