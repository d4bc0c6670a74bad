internal import CLMDB

/// Runs the operations of one entry in a transaction.
@safe
struct RedoRun {
    private let transaction: OpaquePointer
    private let path: String
    private var names: [[UInt8]] = []
    private var databases: [LMDBDatabase?] = []

    init(_ transaction: OpaquePointer, path: String) {
        unsafe self.transaction = transaction
        self.path = path
    }

    mutating func run(_ content: [UInt8], from start: Int, count: Int) throws(LMDBError) {
        var offset = start
        while offset < start + count {
            guard let operation = RedoOperation(in: content, at: offset, end: start + count) else { throw misfit() }
            offset = operation.value.upperBound
            try run(operation, content)
        }
    }

    private mutating func run(_ operation: RedoOperation, _ content: [UInt8]) throws(LMDBError) {
        if operation.kind == .name {
            names.append(Array(content[operation.value]))
            databases.append(nil)
            return
        }
        let database = try database(operation.database, isNew: operation.kind == .create)
        let span = unsafe content.span.bytes
        let key = span.extracting(operation.key)
        let code: Int32
        switch operation.kind {
        case .name, .create: return
        case .put: code = unsafe Calls.put(transaction, database, key, span.extracting(operation.value), flags: 0)
        case .delete: code = unsafe Calls.delete(transaction, database, key)
        case .empty: code = unsafe Calls.drop(transaction, database, deleting: false)
        case .drop: code = unsafe Calls.drop(transaction, database, deleting: true)
        }
        if code == MDB_NOTFOUND { throw misfit() }
        guard code == 0 else { throw LMDBError(code: code, operation: "redo", path: path) }
    }

    private mutating func database(_ number: Int, isNew: Bool) throws(LMDBError) -> LMDBDatabase {
        guard number < names.count else { throw misfit() }
        if let database = databases[number] { return database }
        var database: LMDBDatabase?
        let name = names[number].isEmpty ? nil : String(decoding: names[number], as: UTF8.self)
        let code = unsafe Calls.openDatabase(transaction, named: name, create: isNew, into: &database)
        if code == MDB_NOTFOUND { throw misfit() }
        guard code == 0, let database else { throw LMDBError(code: code, operation: "mdb_dbi_open", path: path) }
        databases[number] = database
        return database
    }

    private func misfit() -> LMDBError {
        LMDBError(
            .damaged, operation: "redo", path: path, detail: "redo.log does not fit data.mdb",
            remedy: "restore the store from a copy")
    }
}
