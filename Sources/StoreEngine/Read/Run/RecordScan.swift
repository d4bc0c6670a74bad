import LMDB

/// A walk over the records of a type in the order of their keys, or of their ids. Support for
/// ``ReadableTransaction/forEach(_:_:)``.
@safe
@usableFromInline
struct RecordScan: ~Copyable, ~Escapable {
    private let scope: ReadContext
    private let binding: TypedBinding
    private var cursor: LMDBCursor
    private var step: Step
    private let isByID: Bool
    /// The records that the walk goes through before it goes on.
    private var group: Group?

    /// Records whose keys begin alike and may be truncated.
    private struct Group {
        /// The keys in the order of the ids.
        let keys: [[UInt8]]
        /// How many of them were gone to.
        var count = 0
        /// The last key in the order of keys.
        let last: [UInt8]
    }

    /// How the next record is come to.
    private enum Step {
        case first, next, current, none
    }

    /// - Parameters:
    ///   - last: the key of a record after which the walk begins; empty for the first.
    ///   - isByID: whether records come in the order of ids also where keys are truncated. Such a walk begins at the first.
    @usableFromInline
    @_lifetime(copy scope)
    init(
        _ scope: ReadContext, binding: TypedBinding, after last: [UInt8] = [], isByID: Bool = false
    ) throws(StoreError) {
        assert(last.isEmpty || !isByID, "a key does not tell a place in the order of ids")
        self.isByID = isByID
        self.scope = scope
        self.binding = binding
        var step = Step.first
        do {
            var opened = try scope.snapshot.openCursor(binding.type.database)
            if !last.isEmpty {
                // That record may be gone since it was read; then this stands on the next one already.
                let isPlaced = unsafe try opened.seek(atLeast: last.span.bytes)
                step = !isPlaced ? .none : unsafe opened.key.isEqual(to: last.span.bytes) ? .next : .current
            }
            cursor = opened
        } catch {
            throw StoreError(error)
        }
        self.step = step
    }

    /// The key of the record that the walk is at.
    var key: RawSpan {
        @_lifetime(borrow self)
        borrowing get { cursor.key }
    }

    /// Goes to the next record; false at the end.
    @usableFromInline
    mutating func advance() throws(StoreError) -> Bool {
        do {
            if group != nil, try advanceInGroup() { return true }
            defer { if step != .none { step = .next } }
            let isPositioned =
                switch step {
                case .first: try cursor.first()
                case .next: try cursor.next()
                case .current: true
                case .none: false
                }
            if !isPositioned || !isByID || cursor.key.byteCount <= KeyLimit.recordKeyBeginning { return isPositioned }
        } catch {
            throw StoreError(error)
        }
        try gatherGroup()
        return true
    }

    /// Goes to the next record of the group; false behind it.
    private mutating func advanceInGroup() throws(LMDBError) -> Bool {
        guard let found = group else { return false }
        guard found.count < found.keys.count else {
            group = nil
            _ = unsafe try cursor.seek(atLeast: found.last.span.bytes)
            return false
        }
        group?.count += 1
        let key = found.keys[found.count]
        return unsafe try cursor.seek(atLeast: key.span.bytes)
    }

    /// Puts the records in order whose keys begin as the one that the walk is at, and goes to the first of them.
    private mutating func gatherGroup() throws(StoreError) {
        var found: [(id: [UInt8], key: [UInt8])] = []
        let beginning = cursor.key.extracting(first: KeyLimit.recordKeyBeginning).array()
        do {
            var isInside = true
            while isInside {
                found.append((try Referrers.idKey(of: cursor.value, binding.type), cursor.key.array()))
                isInside = try cursor.next()
                if isInside {
                    let other = cursor.key.extracting(first: KeyLimit.recordKeyBeginning)
                    isInside = unsafe other.isEqual(to: beginning.span.bytes)
                }
            }
            let last = found[found.count - 1].key
            found.sort { $0.id.compared(to: $1.id) < 0 }
            group = Group(keys: found.map(\.key), last: last)
            _ = try advanceInGroup()
        } catch {
            throw StoreError(reading: error, at: "a record of \(binding.type.name)")
        }
    }

    /// The fields of the record that the walk is at.
    @usableFromInline
    @_lifetime(borrow self)
    borrowing func decoder() throws(StoreError) -> FieldDecoder {
        do {
            return try scope.decoder(binding, record: cursor.value, verifying: true)
        } catch {
            throw damage(error)
        }
    }

    /// The record that the walk is at.
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
