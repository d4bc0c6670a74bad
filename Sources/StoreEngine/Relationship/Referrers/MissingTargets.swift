/// A record by its type and the whole key of its id, which is longer than its record key where that is truncated.
struct ReferenceTarget: Hashable {
    /// The place of its type in the catalog.
    let type: Int
    /// The key of its id, not truncated.
    let idKey: [UInt8]
}

/// The records that a write closure left without one that refers to them being seen to: those that did not exist when
/// something came to refer to them, and those deleted while something did.
///
/// They are looked at again when the closure ends, so that it may write in any order.
struct MissingTargets {
    /// In the order in which they were noted, so that the same closure always fails with the same error.
    private(set) var all: [ReferenceTarget] = []
    private var deleted: [ReferenceTarget: Bool] = [:]

    /// Notes a record.
    ///
    /// - Parameter isDeleted: whether this closure deleted it.
    mutating func note(_ target: ReferenceTarget, isDeleted: Bool) {
        if deleted.updateValue(isDeleted || deleted[target] ?? false, forKey: target) == nil { all.append(target) }
    }

    /// Whether the closure deleted a record that was noted.
    func isDeleted(_ target: ReferenceTarget) -> Bool { deleted[target] ?? false }
}
