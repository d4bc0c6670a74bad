import StoreEngine
public import StoreRuntime

/// Hosts a tree of components in a scope, and updates it.
///
/// ```swift
/// let host = try await connection.host { Dashboard() }
/// ```
///
/// Updates run on the host, an actor of its own, so that components need not be `Sendable`. It ends with its scope: the tree's
/// places end children first, and ``Scope/waitUntilClosed()`` waits for that. As they end on the host, and closing waits for nobody, that may be
/// after the scope's own `onClose` handlers and after the scope has let go what it owns; what a place owns or borrows stays until
/// the place ends. A tree whose places must end before something goes is hosted in a child scope, and that one's `waitUntilClosed()`
/// waited for first.
public actor ComponentHost {
    /// The scope.
    public nonisolated let scope: Scope
    private let tree: Tree
    private let inbox: Inbox
    /// Whether a pass waits for its view. Another that waited beside it might show something newer, which this one would then update
    /// for once more, in the older view.
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

    /// How many components there are, and how often they were updated.
    public var counters: ComponentCounters { tree.counters }

    /// Places another value of the outermost component, and updates what that concerns.
    ///
    /// - Throws: what `make` throws; ``StoreError``: `scopeClosed`; `closed` when the store is; why that cannot be read, after which the
    ///   value is shown as soon as it can.
    public func place<C: Component>(
        file: StaticString = #fileID, line: UInt = #line, _ make: @Sendable () throws -> C
    ) async throws {
        guard !scope.isClosed else { throw scope.closedError }
        tree.place(try make(), (file, line))
        try await settle()
    }

    /// Updates the components that earlier commits and sends concern, and returns when no update is left, or after 100 passes in a row
    /// that others keep going.
    ///
    /// A write that a binding has queued counts once it is committed.
    ///
    /// Returns at once if the host's scope or store is closed.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func settle() async throws {
        // What was committed before may not have been told yet.
        await scope.untilShown()
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
            // What was to be updated still is, once the store can be read.
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
                tree.tellUnreadable(error)
                inbox.signal.raise()
            }
        }
    }
}

extension Scope {
    /// Hosts a tree of components in this scope.
    ///
    /// The tree keeps the scope: one without a parent does not close with its last reference then, and has to be closed.
    ///
    /// - Parameter make: makes the value of the outermost one, on the host.
    /// - Throws: what `make` throws; ``StoreError``: `scopeClosed`; `closed` when the store is; why that cannot be read. Nothing is
    ///   hosted then.
    public func host<C: Component>(
        file: StaticString = #fileID, line: UInt = #line, _ make: @escaping @Sendable () throws -> C
    ) async throws -> ComponentHost {
        let host = ComponentHost(self)
        let task = try task(file: file, line: line) { try await host.run() }
        do {
            try await host.place(file: file, line: line, make)
        } catch {
            // Nothing is hosted: nothing is left.
            task.cancel()
            await task.value
            throw error
        }
        return host
    }
}
