import LMDB
public import StoreEngine
import Synchronization

/// A position of a store, held fixed for the length of one closure: models, live results and all that is fetched through the
/// view are as they were at that position.
///
/// A closure of ``Store/view(_:)`` gets one and must not let it escape.
@safe
public struct ReadView: ~Copyable, ReadableTransaction {
    let storage: ReadViewStorage
    /// The store's state where what is read is noted; nil where it is not.
    private let notingState: StoreState?

    init(storage: ReadViewStorage) {
        self.storage = storage
        notingState = nil
    }

    /// The same view, which notes what is read through it.
    init(_ view: borrowing ReadView, noting reads: NotedReads) {
        storage = view.storage
        notingState = view.storage.scope.state.noting(reads)
    }

    /// The position.
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
    /// Runs `body` in a read view: everything that it reads of this store is at one position.
    ///
    /// That holds for models (``Model``) and live results too, which show what they were at the view's position, whatever is
    /// committed meanwhile. `body` runs on the calling thread and must not wait for long: while it runs, pages that writers
    /// free cannot be used again.
    ///
    /// The view's position is the newest one when it opens; what this process has committed before is in it. In a view of the
    /// same store `body` runs in that one.
    ///
    /// - Throws: what `body` throws; ``StoreError``: `closed` and others.
    public func view<T>(_ body: (borrowing ReadView) throws -> T) throws -> T {
        try requireOpen()
        return try core.view(body)
    }
}

extension StoreCore {
    /// As ``Store/view(_:)``.
    func view<T>(_ body: (borrowing ReadView) throws -> T) throws -> T {
        try stepper.start()
        if let outer = ReadViewStorage.current(on: stepper.timeline) { return try body(ReadView(storage: outer)) }
        let storage = try stepper.openView()
        return try enter(storage) { try body(ReadView(storage: storage)) }
    }

    /// Runs `body` in a view that is open, and closes it.
    func enter<T>(_ storage: ReadViewStorage, _ body: () throws -> T) rethrows -> T {
        // What was kept for this view need not be any more.
        defer { if stepper.timeline.hasOlder.load(ordering: .relaxed) { stepper.ask() } }
        return try storage.enter(body)
    }
}
