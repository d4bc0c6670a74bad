/// Compares two states of one record.
package enum RecordDifference {
    /// Returns the indexes of the fields whose bytes differ. Both records are in the form of the newest version.
    package static func changedFieldIndexes(from old: RecordBytes, to new: RawSpan) throws(CodecError) -> [Int] {
        let oldTable = try old.table
        let newTable = try RecordBytes(unverified: new).table
        var changed: [Int] = []
        for fieldIndex in 0..<newTable.count
        where try !oldTable.field(fieldIndex).isEqual(to: newTable.field(fieldIndex)) {
            changed.append(fieldIndex)
        }
        return changed
    }
}
