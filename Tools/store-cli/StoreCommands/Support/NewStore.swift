import Glibc
import LMDB
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
        let wasThere = unsafe access(path, F_OK) == 0
        if !wasThere, unsafe mkdir(path, 0o750) != 0 { throw SystemFailure("the directory \(path) cannot be created") }
        do {
            try fill(types)
        } catch {
            if !wasThere { _ = unsafe rmdir(path) }
            throw error
        }
        // If root just made the directory, the store gets the owner of the parent directory.
        if !wasThere, var ownership = FileOwnership(of: FileLocation.parent(of: path)) {
            ownership.mode = 0o750
            ownership.apply(to: path)
            ownership.mode = 0o640
            ownership.apply(to: path + "/data.mdb")
        }
    }

    private func fill(_ types: [SchemaDocument.Entry]) throws {
        guard unsafe access(path + "/data.mdb", F_OK) != 0 else { throw existing }
        try StoreDirectory.requireVacant(path)
        guard let owner = FileOwnership(of: path) else { throw SystemFailure("\(path) cannot be read") }
        let workshop = try WorkDirectory(in: path, name: "create")
        defer { workshop.remove() }
        let store = try Store(at: workshop.path, records: [], options: StoreAccess.optionsOfNewStore())
        do {
            try store.addTypes(types.map(\.schema))
            try keepAssignedIDs(types, in: store)
            store.close()
        } catch {
            store.close()
            throw error
        }
        var files = owner.forFiles
        files.mode = 0o640
        files.apply(to: workshop.path + "/data.mdb")
        // Of two processes that create the store at the same time, one gets an error.
        guard StoreFile.move(workshop.path + "/data.mdb", toNew: path + "/data.mdb") else {
            if errno == EEXIST { throw existing }
            throw SystemFailure("the store cannot be moved to \(path)")
        }
        try FileLocation.sync(directory: path)
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
        if unsafe stat(path + "/data.mdb", &status) == 0, status.st_size == 0 {
            return StoreError(.storeExists, "\(path)/data.mdb exists, but is empty", remedy: "remove it first")
        }
        return StoreError(.storeExists, "\(path) already holds a store", remedy: "choose another directory")
    }
}
