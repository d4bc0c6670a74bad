import Glibc
import StoreEngine
import StoreRuntime

/// Creates a store in a temporary directory first, so that there is a whole store or none.
struct NewStore {
    let path: String

    init(_ path: String) { self.path = path }

    /// Creates the store with record types.
    ///
    /// - Throws: ``StoreError`` with the code `storeExists`, or with `notAStore` if the directory holds other files;
    ///   ``SystemFailure`` if the system refuses a call.
    func create(_ types: [SchemaDocument.Entry]) throws {
        guard unsafe access(StoreDirectory.dataFile(path), F_OK) != 0 else { throw existing }
        let file = try NewDataFile(in: path)
        do {
            try file.make { work in
                try fill(work, types)
                try shareOwnership(work, isDirectoryMade: file.isDirectoryMade)
            }
        } catch let error as StoreError where error.code == .storeExists {
            // Another process created the store at the same time.
            throw existing
        }
    }

    private func fill(_ work: String, _ types: [SchemaDocument.Entry]) throws {
        var options = StoreAccess.optionsOfNewStore()
        options.leavesRedoLog = true
        let store = try Store(at: work, records: [], options: options)
        defer { store.close() }
        try store.addTypes(types.map(\.schema))
        try keepAssignedIDs(types, in: store)
    }

    /// Gives the new file the owner of the store's directory. If root just made the directory too, both get the owner of the
    /// parent directory.
    private func shareOwnership(_ work: String, isDirectoryMade: Bool) throws {
        if isDirectoryMade, var ownership = FileOwnership(of: FileLocation.parent(of: path)) {
            ownership.mode = 0o750
            ownership.apply(to: path)
        }
        guard var files = FileOwnership(of: path) else { throw SystemFailure("\(path) cannot be read") }
        files.mode = 0o640
        files.apply(to: StoreDirectory.dataFile(work))
    }

    private func keepAssignedIDs(_ types: [SchemaDocument.Entry], in store: Store) throws {
        let greatest = types.compactMap { entry in entry.greatestAssignedID.map { (entry.schema.name, $0) } }
        guard !greatest.isEmpty else { return }
        _ = try store.write { transaction in
            for (name, id) in greatest {
                let typeIndex = try transaction._reading.catalog.requireTypeIndex(named: name)
                try transaction.keepAssignedIDs(above: id, typeIndex: typeIndex)
            }
        }
    }

    private var existing: StoreError {
        // An empty file is no store, but this program must not remove it.
        var status = stat()
        if unsafe stat(StoreDirectory.dataFile(path), &status) == 0, status.st_size == 0 {
            return StoreError(.storeExists, "\(path)/data.mdb exists, but is empty", remedy: "remove it first")
        }
        return StoreError(.storeExists, "\(path) already holds a store", remedy: "choose another directory")
    }
}
