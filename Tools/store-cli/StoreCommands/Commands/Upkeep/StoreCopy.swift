import ArgumentParser
import Glibc
import LMDB
import StoreEngine
import StoreRuntime

/// `backup`: writes a consistent copy.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a consistent copy of the store to a directory, while services run.",
        discussion: "The copy has the owner and the mode of the store.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "An empty or missing directory.", completion: .directory) var directory: String

    func run() throws { try StoreCopy(options: options, directory: directory).run(compacting: false) }
}

/// `compact`: writes a consistent copy without free pages.
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a consistent copy without free pages, while services run.",
        discussion: """
            The store itself does not change. To shrink it, stop the programs that use it, and `restore` the compacted \
            copy.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "An empty or missing directory.", completion: .directory) var directory: String

    func run() throws { try StoreCopy(options: options, directory: directory).run(compacting: true) }
}

/// `restore`: replaces the store with a copy.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replaces a store with a copy, if no program has the store open.",
        discussion: """
            The command checks the copy first, and replaces the store in one step: after a failure, either the old \
            store or the new one is there. The new feed starts a new epoch, so the store no longer accepts positions \
            of the replaced store.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The directory of the copy.", completion: .directory) var directory: String

    func run() throws {
        let path = try options.requireStore()
        try StoreAccess.requireReachable(directory)
        try Store.restore(from: directory, to: path)
        StandardError.writeLine("restored \(path) from \(directory)")
    }
}

/// Makes a copy: the directory then holds the whole copy or none.
private struct StoreCopy {
    let options: GlobalOptions
    let directory: String

    func run(compacting: Bool) throws {
        let path = try options.requireStore()
        let byteCount = try options.read { store in try copy(store, path, compacting) }
        let kind = compacting ? "compacted copy" : "copy"
        StandardError.writeLine("wrote a \(kind) of \(path) to \(directory), \(Counted.text(byteCount, "byte"))")
    }

    private func copy(_ store: Store, _ path: String, _ compacting: Bool) throws -> Int {
        let wasThere = unsafe access(directory, F_OK) == 0
        if !wasThere, unsafe mkdir(directory, 0o750) != 0 {
            throw SystemFailure("the directory \(directory) cannot be created")
        }
        do {
            guard unsafe access(directory + "/data.mdb", F_OK) != 0 else { throw existing }
            let work = try WorkDirectory(in: directory, name: "copy")
            defer { work.remove() }
            let made = work.path + "/data.mdb"
            let info = try store.environmentInfo()
            try FileGrowth.shown("copying", of: made, total: (info.lastPage + 1) * info.pageSize) {
                try store.backup(to: work.path, compacting: compacting)
            }
            FileOwnership(of: path + "/data.mdb")?.apply(to: made)
            try FileLocation.sync(file: made)
            var status = stat()
            let byteCount = unsafe stat(made, &status) == 0 ? Int(status.st_size) : 0
            guard StoreFile.move(made, toNew: directory + "/data.mdb") else {
                if errno == EEXIST { throw existing }
                throw SystemFailure("the copy cannot be moved to \(directory)")
            }
            if !wasThere { FileOwnership(of: path)?.apply(to: directory) }
            try FileLocation.sync(directory: directory)
            return byteCount
        } catch {
            if !wasThere { _ = unsafe rmdir(directory) }
            throw error
        }
    }

    private var existing: StoreError {
        StoreError(.storeExists, "\(directory) already holds a store", remedy: "choose an empty directory")
    }
}
