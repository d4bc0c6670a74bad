package import LMDB

/// Writes feed entries that no write closure makes: changes of the schema, and resets.
package enum FeedHousekeeping {
    /// Appends an entry with one change.
    ///
    /// - Returns: the head of the feed after the entry.
    package static func append(
        _ kind: ChangeKind, type: UInt32, description: [UInt8], _ head: FeedHead, _ databases: StoreDatabases,
        _ context: WriteContext, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> FeedHead {
        var writer = FeedEntryWriter(database: databases.feed, head: head)
        do {
            writer.begin(context, head: head, changeCount: 1)
            writer.append(kind, type: type, description: description)
            return try writer.finish(head, to: &raw)
        } catch {
            throw StoreError(error)
        }
    }
}
