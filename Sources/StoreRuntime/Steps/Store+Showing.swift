package import StoreEngine

extension Store {
    /// Waits until a position that any process has written, or will, is shown to models and live results.
    ///
    /// - Throws: as ``wait(for:)``.
    package func untilShown(_ position: Position) async throws {
        try await wait(for: position)
        // Without a step, there is nobody to show anything to.
        if core.stepper.isRunning { await core.stepper.untilShown(position.sequence) }
    }
}
