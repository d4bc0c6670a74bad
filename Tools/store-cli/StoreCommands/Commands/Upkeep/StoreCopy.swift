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
        var bar = CopyProgressBar()
        defer { bar.finish() }
        try Store.restore(from: directory, to: path, reading: options.inspecting(directory)) { bar.update($0) }
        bar.finish()
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
        try StoreDirectory.requireNamed(directory, "of the store")
        guard unsafe access(StoreDirectory.dataFile(directory), F_OK) != 0 else {
            throw StoreDirectory.occupied(directory)
        }
        let file = try NewDataFile(in: directory)
        let byteCount = try file.make { work in
            try copyData(of: store, to: work, compacting)
            var status = stat()
            return unsafe stat(StoreDirectory.dataFile(work), &status) == 0 ? Int(status.st_size) : 0
        }
        file.giveAccess(ofDirectory: path)
        return byteCount
    }

    private func copyData(of store: Store, to work: String, _ compacting: Bool) throws {
        if compacting {
            // LMDB does not say how far it is.
            let info = try store.environmentInfo()
            return try FileGrowth.shown(
                "copying", of: StoreDirectory.dataFile(work), total: (info.lastPage + 1) * info.pageSize
            ) { try store.copyData(to: work, compacting: true) }
        }
        var bar = CopyProgressBar()
        defer { bar.finish() }
        try store.copyData(to: work, compacting: false) { bar.update($0) }
    }
}
