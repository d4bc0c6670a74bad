import LMDB

/// Goes to records of a type in the order of their keys, with one cursor: neighbours cost a step and not a search.
@safe
@usableFromInline
struct RecordSeek: ~Copyable, ~Escapable {
    private let scope: ReadingScope
    private let binding: TypedBinding
    private var cursor: LMDBCursor
    private var isPositioned = false
    /// How many records were looked at.
    @usableFromInline private(set) var scannedCount = 0

    @usableFromInline
    @_lifetime(copy scope)
    init(_ scope: ReadingScope, binding: TypedBinding) throws(StoreError) {
        self.scope = scope
        self.binding = binding
        scope.note(binding.type.type)
        do {
            cursor = try scope.snapshot.openCursor(binding.type.database)
        } catch {
            throw StoreError(error)
        }
    }

    /// Goes to the record with this id; false where there is none.
    ///
    /// - Parameter idKey: the whole key of the id.
    @usableFromInline
    mutating func find(idKey: [UInt8]) throws(StoreError) -> Bool {
        guard idKey.count > KeyLimit.recordKey else { return unsafe try find(recordKey: idKey.span.bytes) }
        var key = ByteWriter(capacity: idKey.count)
        key.append(idKey)
        KeyLimit.truncateRecordKey(&key)
        guard try find(recordKey: key.bytes) else { return false }
        // Two ids that are too long for a key may share its truncated form.
        do {
            return try Referrers.idKey(of: cursor.value, binding.type) == idKey
        } catch {
            throw damage(error)
        }
    }

    /// Goes to the record with this key; false where there is none.
    @usableFromInline
    mutating func find(recordKey key: RawSpan) throws(StoreError) -> Bool {
        scannedCount += 1
        do {
            if isPositioned, cursor.key.compared(to: key) < 0 { isPositioned = try cursor.next() }
            if !isPositioned || !cursor.key.isEqual(to: key) { isPositioned = try cursor.seek(atLeast: key) }
        } catch {
            throw StoreError(error)
        }
        return isPositioned && cursor.key.isEqual(to: key)
    }

    /// The fields of the record that was found.
    @usableFromInline
    @_lifetime(borrow self)
    borrowing func decoder() throws(StoreError) -> FieldDecoder {
        do {
            return try scope.decoder(binding, record: cursor.value, verifying: true)
        } catch {
            throw damage(error)
        }
    }

    /// The record that was found.
    @inlinable
    @inline(__always)
    borrowing func record<R: Record>(_ type: R.Type) throws(StoreError) -> R {
        let decoder = try decoder()
        do {
            return try R(from: decoder)
        } catch {
            throw damage(error)
        }
    }

    @usableFromInline
    borrowing func damage(_ error: CodecError) -> StoreError { scope.damage(binding.type, key: cursor.key, error) }
}
