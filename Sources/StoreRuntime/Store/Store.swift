import LMDB
public import StoreEngine
import Synchronization

/// A store: typed records in one directory, with transactions, indexes and a feed of changes.
///
/// You can use a store from any thread and task. If a process opens a directory a second time, the new store shares the
/// environment and the writer of the first. Call ``close()`` when you are done. A store that loses its last reference closes
/// itself.
public final class Store: Sendable {
    let core: StoreCore
    /// The store's directory.
    public let path: String
    /// Whether this store was opened for reading only.
    public let isReadOnly: Bool
    private let isOpen = Atomic(true)
    private let temporary: WorkFolder?

    /// Opens the store in a directory and adds the record types that it does not have yet.
    ///
    /// Blocks while the store is created or another process writes. ``open(at:records:options:)-3u2uj`` does not.
    ///
    /// If this process already has the directory open, the new store shares the environment, the writer and the options of the
    /// first open. Of `options`, only ``StoreOptions/isReadOnly`` applies then. A store that is opened for reading refuses its
    /// own writes, and opening for writing fails with `inUse` if the first open is for reading only. The types in `records` are
    /// added in any case. If ``StoreOptions/migrations`` has a step left to run, opening fails with `inUse`.
    ///
    /// - Parameters:
    ///   - path: the store's directory. A missing directory is created with the store, but directories above it are not. A
    ///     directory that holds other files and no store is refused with `notAStore`; hidden files and `lost+found` are allowed.
    ///   - records: the record types that this program uses.
    ///   - options: the options for the first open of the directory in this process.
    /// - Throws: ``StoreError``: `invalidValue` for an option outside its range and for an empty path, `noSuchStore`,
    ///   `notAStore`, `newerFormat`, `schemaMismatch` (with the differences), `damaged`, `accessDenied`, `unsupportedFileSystem`,
    ///   `inUse`, `nestedWrite` and others.
    public convenience init<each R: Record>(
        at path: String, records: repeat (each R).Type, options: StoreOptions = StoreOptions()
    ) throws {
        var types: [any Record.Type] = []
        repeat types.append((each records).self)
        try self.init(at: path, records: types, options: options)
    }

    /// Opens the store in a directory, with the record types in an array.
    ///
    /// - Throws: as ``init(at:records:options:)-55i2r``.
    public convenience init(
        at path: String, records: [any Record.Type], options: StoreOptions = StoreOptions()
    ) throws {
        try StoreDirectory.prepare(path, options: options)
        try self.init(path: path, records: records, options: options, temporary: nil)
    }

    init(path: String, records: [any Record.Type], options: StoreOptions, temporary: WorkFolder?) throws {
        let options = try options.checked()
        core = try StoreRegistry.open(path: path, options: options, records: records)
        self.path = path
        isReadOnly = options.isReadOnly
        self.temporary = temporary
    }

    deinit { close() }

    /// Waits for the queued writes, then closes the store. Later calls fail with `closed`; closing again does nothing.
    ///
    /// Blocks until the last queued write is committed and the last read closure has ended. Inside a write closure of any store,
    /// or a read closure of this one, it returns at once. The store then closes some time after that closure has ended. In a
    /// forked child of the process that opened the store, it returns at once and changes nothing.
    public func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // The threads and the files of the store belong to the parent.
        if core.environment.isForked { return }
        // Ends this store's readers now, even if another `Store` has the same directory open.
        core.notifier.stir()
        // Inside a closure, closing would wait for the closure itself. The last reference may also go away inside one.
        guard WriterThread.isCurrent || core.environment.isReadOnThisThread else { return end() }
        // If no thread can start, the store stays open until the process ends. Its queued writes are made in any case.
        try? SystemThread.start("store-close", for: nil) { [core, temporary] in Store.end(core, temporary) }
    }

    private func end() { Store.end(core, temporary) }

    private static func end(_ core: StoreCore, _ temporary: WorkFolder?) {
        StoreRegistry.close(core)
        temporary?.remove()
    }

    /// Throws if this store is closed or open for reading only.
    func requireWritable() throws(StoreError) {
        try requireOpen()
        guard !isReadOnly else {
            throw StoreError(
                .readOnly, "the store is open for reading only", remedy: "open it without isReadOnly to write")
        }
    }

    /// Throws if this store is closed, or this process is a forked child of the one that opened it.
    func requireOpen() throws(StoreError) {
        try core.requireOwnProcess()
        guard isStillOpen else { throw WriteQueue.closed }
    }

    /// Whether this store has not been closed.
    var isStillOpen: Bool { isOpen.load(ordering: .acquiring) }
}
