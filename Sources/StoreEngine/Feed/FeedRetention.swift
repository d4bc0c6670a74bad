package import LMDB

/// Removes change sets that are no longer retained.
package enum FeedRetention {
    /// The most fragments that one commit removes besides as many as it added, so that no commit pays for all.
    static let fragmentsPerCommit = 64

    /// Moves `head.oldest` up to what `limit` allows and removes fragments before it.
    package static func trim(
        _ head: inout FeedHead, limit: Int, added: Int, _ database: LMDBDatabase, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        let retained = UInt64(max(limit, 1))
        if head.sequence >= retained { head.oldest = max(head.oldest, head.sequence - retained + 1) }
        var budget = fragmentsPerCommit + 2 * added
        do {
            while budget > 0, let key = try firstKey(before: head.oldest, database, raw) {
                unsafe try raw.delete(database, key: key.span.bytes)
                budget -= 1
            }
        } catch {
            throw StoreError(error)
        }
    }

    private static func firstKey(
        before oldest: UInt64, _ database: LMDBDatabase, _ raw: borrowing LMDBWriteTransaction
    ) throws(LMDBError) -> [UInt8]? {
        var cursor = try raw.snapshot.openCursor(database)
        guard try cursor.first() else { return nil }
        let key = cursor.key
        guard let sequence = try? key.loadInteger(at: 0, as: UInt64.self).byteSwapped, sequence < oldest else {
            return nil
        }
        return key.array()
    }
}
