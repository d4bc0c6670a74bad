import StoreEngine

extension StepNet {
    /// Adds what the feed has between two positions; gives up where that is gone, or is too much.
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
            // Retention has removed what was not read, or it cannot be read: records say what there is now.
            case .positionCompacted, .positionDiverged, .damaged: reset()
            default: throw error
            }
        }
    }

    /// The net changes; nil where only the records say what there is now, as with what the feed holds unreadably.
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
