/// Checks that entries continue a position, by their numbers, hashes and generation.
package enum LogReading {
    /// Returns the entries of a batch that come after a position.
    ///
    /// - Throws: ``SharedLogError``: `otherGeneration`; `diverged` if an entry does not continue the one before it, or if the log
    ///   ends before the position.
    package static func continuation(
        of position: LogPosition, in batch: LogBatch
    ) throws(SharedLogError) -> [LogEntry] {
        guard batch.head.generation == position.generation else {
            throw SharedLogError(
                .otherGeneration,
                "the log is in generation \(batch.head.generation), and this replica in \(position.generation)")
        }
        guard batch.head.index >= position.index else {
            throw SharedLogError(
                .diverged, "the log ends with entry \(batch.head.index), and this replica has \(position.index)")
        }
        var last = position
        var fresh: [LogEntry] = []
        for entry in batch.entries where entry.position.index > position.index {
            // After a hole, the rest is read again.
            guard entry.position.index == last.index + 1 else { break }
            guard entry.previous == last else {
                throw SharedLogError(
                    .diverged, "entry \(entry.position.index) of the log does not continue this replica")
            }
            fresh.append(entry)
            last = entry.position
        }
        if last.index == batch.head.index, last != batch.head {
            throw SharedLogError(.diverged, "the log has another entry \(last.index) than this replica")
        }
        return fresh
    }
}
