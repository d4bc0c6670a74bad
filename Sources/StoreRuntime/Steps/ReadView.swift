import LMDB
public import StoreEngine
import Synchronization

/// A position of a store, held fixed for the length of one closure. Models, live results and everything fetched through the view
/// are as they were at that position.
///
/// ``Store/view(_:)`` passes a view to its closure, which must not let it escape.
@safe
public struct ReadView: ~Copyable, ReadableTransaction {
    let storage: ReadViewStorage
    /// The store's state if the view notes its reads; otherwise nil.
    private let notingState: StoreState?

    init(storage: ReadViewStorage) {
        self.storage = storage
        notingState = nil
    }

    /// Creates the same view, which also notes its reads.
    init(_ view: borrowing ReadView, noting reads: NotedReads) {
        storage = view.storage
        notingState = view.storage.scope.state.noting(reads)
    }

    /// The position of the view.
    public var position: Position { storage.position }

    public var _reading: ReadContext {
        @_lifetime(borrow self)
        borrowing get {
            // The storage lives as long as the view, and its transaction as long as the storage.
            let scope = unsafe _overrideLifetime(storage.scope, borrowing: self)
            guard let notingState else { return scope }
            return ReadContext(snapshot: scope.snapshot, state: notingState)
        }
    }
}

extension Store {
    /// Runs `body` in a read view: everything that it reads from this store is at one position.
    ///
    /// This includes models (``Model``) and live results: they show their values at the view's position, whatever is committed
    /// meanwhile. `body` runs on the calling thread and must not wait for long: while it runs, the store cannot reuse pages that
    /// writers free.
    ///
    /// The view opens at the newest position, which includes all earlier commits of this process. Inside a view of the same
    /// store, `body` runs in that view.
    ///
    /// - Throws: any error that `body` throws; ``StoreError``: `closed` and others.
    public func view<T>(_ body: (borrowing ReadView) throws -> T) throws -> T {
        try requireOpen()
        return try core.view(body)
    }
}

extension StoreCore {
    /// Runs `body` in a read view. See ``Store/view(_:)``.
    func view<T>(_ body: (borrowing ReadView) throws -> T) throws -> T {
        try dispatcher.start()
        if let outer = ReadViewStorage.current(on: dispatcher.timeline) { return try body(ReadView(storage: outer)) }
        let storage = try dispatcher.openView()
        return try enter(storage) { try body(ReadView(storage: storage)) }
    }

    /// Runs `body` in a view that is already open, and then closes it.
    func enter<T>(_ storage: ReadViewStorage, _ body: () throws -> T) rethrows -> T {
        // Versions that were kept for this view can be dropped now.
        defer { if dispatcher.timeline.hasOlder.load(ordering: .relaxed) { dispatcher.ask() } }
        return try storage.enter(body)
    }
}
