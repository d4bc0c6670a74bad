import StoreEngine

extension ReadContext {
    /// Returns the last contents of the deleted records of models, by key, from the deletions in the feed. A record has none
    /// where the feed no longer contains its deletion, or where the feed cannot be read.
    ///
    /// - Parameter sequence: the models have the changes up to this one. Those that were read later have more.
    /// - Complexity: O(*n*), where *n* is the number of changes since the step before.
    func lastContents(of states: [ModelState], _ type: OpenType, since sequence: UInt64) -> [[UInt8]: RecordContent] {
        guard let start = states.map({ max($0.newestSequence, sequence) }).min(),
            let position = try? position(at: start)
        else { return [:] }
        let incarnations = Dictionary(states.map { ($0.key, $0.incarnation) }) { max($0, $1) }
        var contents: [[UInt8]: RecordContent] = [:]
        var walk = FeedWalk(after: position)
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
