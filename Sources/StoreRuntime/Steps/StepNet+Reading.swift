import StoreEngine

extension StepNet {
    /// Adds the change sets between two positions from the feed. Becomes a reset if they are gone or have too many changes.
    ///
    /// - Parameter limit: the most records that are netted.
    mutating func read(
        _ scope: ReadContext, from position: Position, to target: Position, limit: Int
    ) throws(StoreError) {
        var walk = FeedWalk(after: position)
        do throws(StoreError) {
            while walk.isInside || walk.position.sequence < target.sequence {
                let parts = try walk.read(scope, FeedWalk.Limits(changes: 10_000))
                if parts.isEmpty { break }
                for part in parts { add(part) }
                if count > limit { return reset() }
            }
        } catch {
            switch error.code {
            // Retention has removed change sets, or they cannot be read. Only the records show the current state.
            case .positionCompacted, .positionDiverged, .damaged: reset()
            default: throw error
            }
        }
    }

    /// Returns the net changes; nil if only the records show the current state, for example because the feed cannot be read.
    func readableChanges() throws(StoreError) -> [StepChange]? {
        if resetsAll { return nil }
        do throws(StoreError) {
            return try finish()
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }
}
