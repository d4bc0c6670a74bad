/// The key paths by which Observation tracks a type's models: one for each field, one for whether the record was deleted, and one
/// for whether it cannot be read. They are created once for each type, because creating a key path takes a microsecond.
///
/// `@unchecked` because the compiler does not know key paths as Sendable; these are constants that hold a number.
@safe
final class ModelSlots: @unchecked Sendable {
    /// Owned by this object. They are unmanaged, because reading a field would otherwise count references to objects that all
    /// threads share.
    private let paths: UnsafeMutableBufferPointer<Unmanaged<KeyPath<ModelState, Void>>>

    /// The slot for whether the record was deleted.
    let deleted: Int
    /// The slot for why the record cannot be read.
    let readFailure: Int

    init(fieldCount: Int) {
        deleted = fieldCount
        readFailure = fieldCount + 1
        unsafe paths = .allocate(capacity: fieldCount + 2)
        for slot in 0...readFailure {
            unsafe paths.initializeElement(at: slot, to: .passRetained(\ModelState.[slot: slot]))
        }
    }

    deinit {
        for slot in 0...readFailure { unsafe paths[slot].release() }
        unsafe paths.deallocate()
    }

    /// Calls `body` with the key path of a slot.
    ///
    /// - Precondition: `slot` is the index of a declared field, ``deleted`` or ``readFailure``.
    func with(_ slot: Int, _ body: (KeyPath<ModelState, Void>) -> Void) {
        precondition(slot >= 0 && slot <= readFailure, "the record's type has no field with this place")
        unsafe paths[slot]._withUnsafeGuaranteedRef { body($0) }
    }
}
