/// The operations of a write transaction on its databases, as bytes in the order in which they were made.
///
/// The bytes begin with room for the header of a ``RedoEntry``, so that an entry is written in one piece. Each operation is:
///
/// - 0: kind, 1 byte;
/// - 1: number of the database in these operations, 1 byte;
/// - 2: length of the key, 2 bytes;
/// - 4: length of the value, 4 bytes;
/// - 8: key, then value.
///
/// A database gets its number with the first operation on it: before that one is an operation of the kind `name`, with the name
/// as its value. The main database has the empty name. Integers are little-endian.
struct RedoOperations {
    enum Kind: UInt8 {
        case name = 1
        case put, delete, empty, drop, create
    }

    /// A position to return to, when a child transaction is aborted.
    struct Mark {
        fileprivate let byteCount: Int
        fileprivate let databaseCount: Int
    }

    static let headerByteCount = 8
    /// The number of databases that one entry can name.
    private static let maximumDatabases = 255

    /// The bytes, after room for the header of an entry; empty if the operations are too many for an entry.
    private(set) var bytes: [UInt8]
    /// Whether there are so many operations that they are not logged.
    private(set) var isTooLarge = false
    private let maximumByteCount: Int
    /// The handles of the databases, by their numbers.
    private var databases: [UInt32] = []

    /// - Parameter maximumByteCount: the length after which the operations are dropped.
    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
        bytes = [UInt8](repeating: 0, count: RedoEntry.headerByteCount)
    }

    /// Whether nothing has to be logged.
    var isEmpty: Bool { !isTooLarge && bytes.count <= RedoEntry.headerByteCount }

    var mark: Mark { Mark(byteCount: bytes.count, databaseCount: databases.count) }

    /// Removes all operations since a mark.
    mutating func undo(to mark: Mark) {
        guard !isTooLarge else { return }
        bytes.removeLast(bytes.count - mark.byteCount)
        databases.removeLast(databases.count - mark.databaseCount)
    }

    /// Appends an operation.
    ///
    /// - Parameter name: returns the name of the database, as LMDB stores it.
    mutating func append(
        _ kind: Kind, _ database: LMDBDatabase, key: RawSpan = RawSpan(), value: RawSpan = RawSpan(),
        name: () -> [UInt8]
    ) {
        guard !isTooLarge else { return }
        guard let number = number(of: database, name),
            bytes.count + Self.headerByteCount + key.byteCount + value.byteCount <= maximumByteCount
        else { return drop() }
        add(kind, number, key, value)
        // LMDB gives the handle to another database.
        if kind == .drop { databases[Int(number)] = .max }
    }

    private mutating func drop() {
        isTooLarge = true
        bytes = []
        databases = []
    }

    private mutating func number(of database: LMDBDatabase, _ name: () -> [UInt8]) -> UInt8? {
        // The operations of a record touch few databases.
        if let number = databases.lastIndex(of: database.handle) { return UInt8(number) }
        guard databases.count < Self.maximumDatabases else { return nil }
        databases.append(database.handle)
        let number = UInt8(databases.count - 1)
        let name = name()
        unsafe add(.name, number, RawSpan(), name.span.bytes)
        return number
    }

    private mutating func add(_ kind: Kind, _ number: UInt8, _ key: RawSpan, _ value: RawSpan) {
        let (keyCount, valueCount) = (UInt16(key.byteCount), UInt32(value.byteCount))
        bytes.append(kind.rawValue)
        bytes.append(number)
        unsafe withUnsafeBytes(of: keyCount.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: valueCount.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe key.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        unsafe value.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// The length of an entry with these operations.
    var entryByteCount: Int { RedoEntry.byteCount(ofOperations: bytes.count - RedoEntry.headerByteCount) }

    /// Completes the bytes to a whole entry of the log.
    mutating func seal(_ entry: RedoEntry, _ secret: SipHash) -> RedoEntry { entry.sealing(&bytes, secret) }
}

/// One operation in the bytes of an entry.
struct RedoOperation {
    let kind: RedoOperations.Kind
    let database: Int
    let key: Range<Int>
    let value: Range<Int>

    /// Reads the operation at an offset; nil if there is none.
    init?(in bytes: [UInt8], at offset: Int, end: Int) {
        guard end <= bytes.count, end - offset >= RedoOperations.headerByteCount,
            let kind = RedoOperations.Kind(rawValue: bytes[offset])
        else { return nil }
        let keyCount = Int(bytes.integer(at: offset + 2, as: UInt16.self))
        let valueCount = Int(bytes.integer(at: offset + 4, as: UInt32.self))
        let start = offset + RedoOperations.headerByteCount
        guard end - start >= keyCount + valueCount else { return nil }
        self.kind = kind
        database = Int(bytes[offset + 1])
        key = start..<start + keyCount
        value = key.upperBound..<key.upperBound + valueCount
    }
}
