import LMDB
package import StoreEngine

/// A lifetime with a name: what a connection, a worker or a request owns, observes and does, until it is over.
///
/// ```swift
/// let app = try store.scope("app")
/// try await app.withChild("connection 7") { connection in
///     let session = try connection.stateObject { Session() }       // lives as long as the connection
///     try connection.borrow(store.model(Sensor.self, id: "s1"))    // somebody else's, kept alive meanwhile
///     try connection.task { for await celsius in … { … } }         // cancelled at the end
///     try connection.observe { … }                                 // an effect, the same
///     try connection.onClose { … }
///     try await serve(session)
/// }                                                                // all of it is over here
/// ```
///
/// Closing a scope, in this order, each of them the newest first: closes its children; cancels its tasks and effects; runs what
/// ``onClose(file:line:_:)`` was given; lets go what it owns and borrows. Tasks end some time after they are cancelled:
/// ``waitUntilClosed()`` waits for that. A parent keeps its children; one without a parent closes with its last reference, and when its
/// store is closed.
///
/// It can be used from any thread. Whatever is asked of a scope that is closed fails with a ``StoreError`` of the code
/// `scopeClosed`.
///
/// All of it is constant; what changes is in its `life`, which tasks and children outlive it with.
public final class Scope: Sendable, Identifiable {
    /// What it is called.
    public let name: String
    /// The names from the root to it, with slashes between.
    public let path: String
    /// The registry that knows what it owns and borrows.
    public let registry: OwnershipRegistry
    let core: StoreCore?
    let number: UInt64
    private let parentReference: ScopeReference?
    private let life: ScopeLife

    /// Differs from those of all other scopes of the registry.
    public var id: UInt64 { number }

    /// The scope that it is a part of; nil for a root.
    public var parent: Scope? { parentReference?.scope }

    init(
        _ name: String, parent: Scope?, _ registry: OwnershipRegistry, _ core: StoreCore?, heldBy holder: AnyObject?,
        _ file: StaticString, _ line: UInt
    ) {
        self.name = name
        path = parent.map { "\($0.path)/\(name)" } ?? name
        self.registry = registry
        self.core = core
        number = registry.open(path, in: parent?.number, heldBy: holder.map(WeakObject.init), file, line)
        parentReference = parent.map { ScopeReference($0) }
        life = ScopeLife(path, number: number, in: parent?.life, registry)
        registry.opened(ScopeReference(self))
        core?.witnesses.inOrder { $0?.scope(path, isOpen: true) }
    }

    deinit { close() }

    // MARK: Children

    /// Opens a scope within this one.
    ///
    /// - Parameters:
    ///   - name: what it is called in reports.
    ///   - holder: the object that keeps it, if one does, so that rings of owners are found.
    public func child(
        _ name: String, heldBy holder: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> Scope {
        let child = Scope(name, parent: self, registry, core, heldBy: holder, file, line)
        guard life.state.withLock({ $0.add(child) }) else { throw closedError }
        return child
    }

    // MARK: Owning and borrowing

    /// The object of a name that this scope owns: made when it is asked for first, let go when the scope closes.
    ///
    /// - Parameters:
    ///   - name: tells objects of one type apart.
    ///   - make: makes it; must not ask this scope for the same object.
    public func stateObject<T: AnyObject & Sendable>(
        _ name: String = "", file: StaticString = #fileID, line: UInt = #line, _ make: () throws -> T
    ) throws -> T {
        let cell = try part(name) { LazyObject<T>() }
        return try cell.value {
            let object = try make()
            try own(object, file: file, line: line)
            return object
        }
    }

    /// Owns an object that was made elsewhere.
    public func own(_ object: some AnyObject & Sendable, file: StaticString = #fileID, line: UInt = #line) throws {
        try pin(object, .owner, file, line)
    }

    /// Keeps something alive that somebody else owns, until the scope closes: a model, or the object that something else made.
    ///
    /// It cannot be taken back before, and each call is a pin of its own. What a long scope needs for a while belongs to a child that
    /// closes then, or to an ``OwnershipRegistry/pin(_:_:by:file:line:)``, which can be released.
    ///
    /// - Returns: the object.
    @discardableResult
    public func borrow<T: AnyObject & Sendable>(
        _ object: T, file: StaticString = #fileID, line: UInt = #line
    ) throws -> T {
        try pin(object, .borrower, file, line)
        return object
    }

    /// Owns an object until that is taken back, or the scope closes.
    ///
    /// - Returns: what it is taken back by.
    package func ownForNow(
        _ object: some AnyObject & Sendable, file: StaticString, line: UInt
    ) throws -> PinID {
        try pin(object, .owner, file, line)
    }

    /// Lets go what was owned for a while. Linear in the number of the scope's pins.
    package func takeBack(_ pin: PinID) {
        life.state.withLock { $0.remove(pin) }
        registry.unpin(pin)
    }

    @discardableResult
    private func pin(
        _ object: AnyObject, _ kind: PinKind, _ file: StaticString, _ line: UInt
    ) throws -> PinID {
        let pin = registry.pin(object, kind, by: .scope(number), file, line)
        if life.state.withLock({ $0.add(pin) }) { return pin }
        registry.unpin(pin)
        throw closedError
    }

    /// The part of the scope with a type and a name, made where there is none.
    ///
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
    package func part<T: AnyObject & Sendable>(_ name: String = "", _ make: () -> T) throws -> T {
        guard let part = life.part(name, make) else { throw closedError }
        return part
    }

    /// What is found first in the parts with a type of this scope and its ancestors, the nearest first; they are made where there are
    /// none. Those of an ancestor are there for as long as it has children that are closing.
    package func findInParts<T: AnyObject & Sendable, Found>(_ make: () -> T, _ find: (T) -> Found?) -> Found? {
        var here: ScopeLife? = life
        while let life = here {
            if let part = life.part("", make), let found = find(part) { return found }
            here = life.parent
        }
        return nil
    }

    // MARK: Doing

    /// Runs a task that is cancelled when the scope closes.
    ///
    /// ``Scope/current`` is this scope in it. The registry gives a notice of an error that it throws, except `CancellationError`.
    ///
    /// - Returns: the task, to cancel it before or to wait for it.
    @discardableResult
    public func task(
        priority: TaskPriority? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable () async throws -> Void
    ) throws -> Task<Void, Never> {
        guard let number = life.state.withLock({ $0.addTask() }) else { throw closedError }
        let here = ScopeReference(self)
        let body = TaskBody(body)
        let task = Task(priority: priority) { [life] in
            do {
                try await Scope.$currentMembership.withValue(ScopeMembership(here)) { try await body.run() }
            } catch is CancellationError {
            } catch {
                life.taskFailed(error, file, line)
            }
            life.taskEnded(number)
        }
        if life.state.withLock({ $0.begin(task, number) }) { task.cancel() }
        return task
    }

    /// Runs a closure soon, and again whenever something that it read has changed, until the scope closes.
    ///
    /// As ``Store/observe(_:)``.
    public func observe(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
    ) throws {
        let run = try EffectRun(core, file, line)
        try task(file: file, line: line) { try await run.run(body) }
    }

    /// Calls a closure with each element of a sequence, until the sequence ends or the scope closes.
    public func onReceive<S: AsyncSequence & Sendable>(
        _ sequence: S, file: StaticString = #fileID, line: UInt = #line,
        perform body: @escaping @Sendable (S.Element) async throws -> Void
    ) throws {
        try task(file: file, line: line) {
            for try await element in sequence { try await body(element) }
        }
    }

    // MARK: Closing

    /// Has a closure run once when the scope closes, before objects are let go. What it throws is told as a notice.
    public func onClose(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
    ) throws {
        guard life.state.withLock({ $0.add(ScopeState.Handler(line: (file, line), run: body)) }) else {
            throw closedError
        }
    }

    /// Whether it was closed, or is being closed.
    public var isClosed: Bool { life.state.withLock { $0.phase != .open } }

    /// Closes the scope; see there for the order. Closing again does nothing.
    ///
    /// Tasks are cancelled and may still be running after it: ``waitUntilClosed()`` waits for them. Where a child is being closed already, by
    /// another thread or by the child's own handler that calls this, the rest follows when that child is done. A run of an effect, or
    /// an update of a component, that was about to begin as another task closed the scope may still do so.
    public func close() {
        guard let children = life.state.withLock({ $0.beginToClose() }) else { return }
        core?.witnesses.inOrder { $0?.scope(path, isOpen: false) }
        for child in children { child.close() }
        life.childrenWereClosed()
    }

    /// Waits until the scope is closed and its tasks have ended, and those of its children. While the scope is open, cancelling the
    /// waiting task ends the waiting; once it is closing, that is waited for in any case.
    ///
    /// In one of these tasks, and in the scope's own block, it returns at once, as it would wait for itself. A task that one of these
    /// has begun waits until it is cancelled at most, as child tasks are at the end.
    public func waitUntilClosed() async {
        let isInside = isCurrent
        if isInside, Scope.currentMembership?.isOwn == true { return }
        await life.ended(isAlwaysCancellable: isInside)
    }

    /// How much it has.
    var counts: (pins: Int, tasks: Int, children: Int) {
        life.state.withLock { ($0.pins.count, $0.tasks.count, $0.children.count) }
    }

    package var closedError: StoreError {
        StoreError(.scopeClosed, "the scope \(path) is closed", remedy: "use a scope that lives longer")
    }
}
