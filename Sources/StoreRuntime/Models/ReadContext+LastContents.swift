import StoreEngine

extension ReadContext {
    /// Returns the last contents of the deleted records of models, by key, from the deletions in the feed. A record has none
    /// where the feed no longer contains its deletion, or where the feed cannot be read.
    ///
    /// - Complexity: O(*n*), where *n* is the number of changes since the oldest of the models' versions.
    func lastContents(of states: [ModelState], _ type: OpenType) -> [[UInt8]: RecordContent] {
        guard let start = states.map(\.newestPosition).min(by: { $0.sequence < $1.sequence }) else { return [:] }
        let incarnations = Dictionary(uniqueKeysWithValues: states.map { ($0.key, $0.incarnation) })
        var contents: [[UInt8]: RecordContent] = [:]
        var walk = FeedWalk(after: start)
        while contents.count < states.count, let parts = try? walk.read(self, FeedWalk.Limits(changes: 10_000)),
            !parts.isEmpty
        {
            for change in parts.lazy.flatMap(\.changes) where change.kind == .delete && change.type == type.type.id {
                guard let incarnation = incarnations[change.key],
                    let content = unsafe try? RecordContent(change.record.span.bytes, of: type),
                    content.incarnation == incarnation
                else { continue }
                contents[change.key] = content
            }
        }
        return contents
    }
}
