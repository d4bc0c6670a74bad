/// What Observation knows the fields of a type's models by: one key path for each, and one more for whether the record was
/// deleted. Made once for a type, as making one takes a microsecond.
///
/// `@unchecked`, as key paths are not known to be sendable; they are constants that hold a number.
@safe
final class ModelSlots: @unchecked Sendable {
    /// Owned by this object. Reading a field would count references to what all threads share, if they were stored as such.
    private let paths: UnsafeMutableBufferPointer<Unmanaged<KeyPath<ModelState, Void>>>

    /// The slot for whether the record was deleted.
    let deleted: Int

    init(fieldCount: Int) {
        deleted = fieldCount
        unsafe paths = .allocate(capacity: fieldCount + 1)
        for slot in 0...fieldCount {
            unsafe paths.initializeElement(at: slot, to: .passRetained(\ModelState.[slot: slot]))
        }
    }

    deinit {
        for slot in 0...deleted { unsafe paths[slot].release() }
        unsafe paths.deallocate()
    }

    /// Calls `body` with the key path of a slot.
    ///
    /// - Precondition: it is the place of a declared field, or ``deleted``.
    func with(_ slot: Int, _ body: (KeyPath<ModelState, Void>) -> Void) {
        precondition(slot >= 0 && slot <= deleted, "the record's type has no field with this place")
        unsafe paths[slot]._withUnsafeGuaranteedRef { body($0) }
    }
}
