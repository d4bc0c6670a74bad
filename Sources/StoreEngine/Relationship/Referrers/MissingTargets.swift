/// A record, by its type and the untruncated key of its id. The key of the record itself may be truncated.
struct ReferenceTarget: Hashable {
    /// The index of the record's type in the catalog.
    let type: Int
    /// The untruncated key of the record's id.
    let idKey: [UInt8]
}

/// The records that a write closure may leave missing although other records refer to them. These are the records that did not
/// exist when a reference to them was written, and those deleted while a reference to them existed.
///
/// The transaction checks them again when the closure ends, so that the closure may write in any order.
struct MissingTargets {
    /// The records in the order in which they were noted. The same closure therefore always fails with the same error.
    private(set) var all: [ReferenceTarget] = []
    private var deleted: [ReferenceTarget: Bool] = [:]

    /// Notes a record.
    ///
    /// - Parameter isDeleted: whether this closure deleted it.
    mutating func note(_ target: ReferenceTarget, isDeleted: Bool) {
        if deleted.updateValue(isDeleted || deleted[target] ?? false, forKey: target) == nil { all.append(target) }
    }

    /// Returns whether the closure deleted a record that was noted.
    func isDeleted(_ target: ReferenceTarget) -> Bool { deleted[target] ?? false }
}
