import StoreEngine
public import StoreRuntime

/// Hosts a tree of components in a scope, and updates it.
///
/// ```swift
/// let host = try await connection.host { Dashboard() }
/// ```
///
/// Updates run on the host, which is an actor of its own, so components need not be `Sendable`.
///
/// ## The end of a tree
///
/// The tree ends with its scope: its places end, children first, and ``/ModelStore/Scope/waitUntilClosed()`` waits for that. The
/// places end on the host, and closing a scope does not wait for them. They may therefore end after the scope's own `onClose`
/// handlers ran, and after the scope released the objects that it owns. An object that a place owns or borrows stays alive until
/// the place ends.
///
/// If the places of a tree must end before something else is released, host the tree in a child scope, and wait for the child's
/// `waitUntilClosed()` first.
public actor ComponentHost {
    /// The scope that hosts the tree.
    public nonisolated let scope: Scope
    private let tree: Tree
    private let inbox: Inbox
    /// Whether a pass is waiting for its view. A second pass that waits at the same time might update components in a newer view.
    /// This pass would then update them once more, in its older view.
    private var isPassing = false
    private var awaitingPass: [CheckedContinuation<Void, Never>] = []

    init(_ scope: Scope) {
        self.scope = scope
        let tree = Tree(scope)
        inbox = tree.inbox
        let confinement = tree.confinement
        self.tree = tree
        confinement.begin(self)
    }

    /// The number of components and of updates.
    public var counters: ComponentCounters { tree.counters }

    /// Places another value of the outermost component, and runs the updates that this causes.
    ///
    /// - Throws: any error that `make` throws; ``/ModelStore/StoreError`` with the code `scopeClosed`, with `closed` if the store
    ///   is closed, or with the reason why the store cannot be read. In the last case, the host applies the value as soon as it
    ///   can read the store.
    public func place<C: Component>(
        file: StaticString = #fileID, line: UInt = #line, _ make: @Sendable () throws -> C
    ) async throws {
        guard !scope.isClosed else { throw scope.closedError }
        tree.place(try make(), (file, line))
        try await settle()
    }

    /// Changes values and objects that components read in one step: no update reads some of the changes and not the others.
    ///
    /// ```swift
    /// await host.update {
    ///     session.user = "ada"
    ///     session.rights = .all
    /// }
    /// ```
    ///
    /// Code outside the host that sets both may be overtaken by an update that reads the new user and the old rights. The
    /// components update after this call. ``settle()`` waits for that.
    ///
    /// - Parameter change: makes the changes. It runs on the host.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure. Changes that it made before stay.
    public func update<Result: Sendable, Failure: Error>(
        _ change: @Sendable () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        _ = ThreadChanges.haveCome {
            MarkingTurn.run {
                do throws(Failure) { result = .success(try change()) } catch { result = .failure(error) }
            }
        }
        guard let result else { preconditionFailure("the closure has not run") }
        return try result.get()
    }

    /// Runs the updates that earlier commits and sends cause. Returns when no update is left, or after 100 passes in a row if
    /// updates keep coming.
    ///
    /// A write that a binding queued counts once it is committed.
    ///
    /// Returns at once if the host's scope or store is closed.
    ///
    /// - Throws: ``/ModelStore/StoreError`` if the store cannot be read.
    public func settle() async throws {
        // Earlier commits may not have been published yet.
        await scope.waitUntilPublished()
        for _ in 0..<Tree.passLimit {
            guard tree.isDue, !scope.isClosed else { return tree.comeToRest() }
            if isPassing { await passEnd() } else { try await pass() }
        }
        tree.pause()
    }

    private func pass() async throws {
        isPassing = true
        defer {
            isPassing = false
            for continuation in awaitingPass { continuation.resume() }
            awaitingPass = []
        }
        do {
            tree.pass(in: try await scope.steadyView())
        } catch {
            // The pending updates stay pending, and run once the store can be read.
            if (error as? StoreError)?.code != .closed { inbox.signal.raise() }
            throw error
        }
    }

    private func passEnd() async { await withCheckedContinuation { awaitingPass.append($0) } }

    /// Updates components until the scope closes, then ends the tree.
    func run() async throws {
        defer { tree.end() }
        while await inbox.signal.wait() == .raised {
            do {
                try await settle()
            } catch {
                try await SteadyView.pause(after: error)
                tree.notifyUnreadable(error)
                inbox.signal.raise()
            }
        }
    }
}

extension Scope {
    /// Hosts a tree of components in this scope.
    ///
    /// The tree keeps a reference to the scope. A root scope with a host therefore does not close with its last reference
    /// elsewhere: close it yourself.
    ///
    /// - Parameters:
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - make: returns the value of the outermost component. It runs on the host.
    /// - Throws: any error that `make` throws; ``/ModelStore/StoreError`` with the code `scopeClosed`, with `closed` if the store
    ///   is closed, or with the reason why the store cannot be read. The scope then hosts nothing.
    public func host<C: Component>(
        file: StaticString = #fileID, line: UInt = #line, _ make: @escaping @Sendable () throws -> C
    ) async throws -> ComponentHost {
        let host = ComponentHost(self)
        let task = try task(file: file, line: line) { try await host.run() }
        do {
            try await host.place(file: file, line: line, make)
        } catch {
            // Hosting failed, so nothing may be left behind.
            task.cancel()
            await task.value
            throw error
        }
        return host
    }
}
