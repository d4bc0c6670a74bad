import LMDB
package import StoreEngine

/// A named lifetime: it holds the objects and tasks of a connection, a worker or a request until that is over.
///
/// ```swift
/// let app = try store.scope("app")
/// try await app.withChild("connection 7") { connection in
///     let session = try connection.stateObject { Session() }       // lives as long as the connection
///     try connection.borrow(store.model(Sensor.self, id: "s1"))    // owned elsewhere, kept alive meanwhile
///     try connection.task { for await celsius in … { … } }         // cancelled at the end
///     try connection.observe { … }                                 // an effect, also cancelled at the end
///     try connection.onClose { … }
///     try await serve(session)
/// }                                                                // the scope and its tasks have ended
/// ```
///
/// Closing a scope does the following, each on the newest item first:
///
/// 1. Closes its children.
/// 2. Cancels its tasks and effects.
/// 3. Runs the closures of ``onClose(file:line:_:)``.
/// 4. Releases the objects that it owns and borrows.
///
/// Tasks end some time after they are cancelled; ``waitUntilClosed()`` waits for that. A parent keeps its children. A root scope
/// closes with its last reference, and when its store is closed.
///
/// A scope can be used from any thread. Calls on a closed scope throw ``StoreError`` with the code `scopeClosed`.
///
/// All properties are constant. The changing state is in `life`, which stays with the tasks and children when the scope is gone.
public final class Scope: Sendable, Identifiable {
    /// The name.
    public let name: String
    /// The names from the root to this scope, with slashes between.
    public let path: String
    /// The registry that records the objects that this scope owns and borrows.
    public let registry: OwnershipRegistry
    let core: StoreCore?
    let number: UInt64
    private let parentReference: ScopeReference?
    private let life: ScopeLife

    /// A number that no other scope of the registry has.
    public var id: UInt64 { number }

    /// The scope that contains this one; nil for a root scope.
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
    ///   - name: the name of the scope in reports.
    ///   - holder: the object that keeps the scope, if there is one, so that reports can find cycles of owners.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    public func child(
        _ name: String, heldBy holder: AnyObject? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> Scope {
        let child = Scope(name, parent: self, registry, core, heldBy: holder, file, line)
        guard life.state.withLock({ $0.add(child) }) else { throw closedError }
        return child
    }

    // MARK: Owning and borrowing

    /// Returns the object with a name that this scope owns. The first call creates the object; the scope releases it when it
    /// closes.
    ///
    /// - Parameters:
    ///   - name: distinguishes objects of one type.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - make: creates the object; must not ask this scope for the same object.
    public func stateObject<T: AnyObject & Sendable>(
        _ name: String = "", file: StaticString = #fileID, line: UInt = #line, _ make: () throws -> T
    ) throws -> T {
        let cell = try part(name) { LazyObject<T>() }
        return try cell.value {
            try own(try make(), file: file, line: line)
        }
    }

    /// Owns an object that was created elsewhere, until the scope closes.
    ///
    /// - Returns: the object.
    @discardableResult
    public func own<T: AnyObject & Sendable>(
        _ object: T, file: StaticString = #fileID, line: UInt = #line
    ) throws -> T {
        try pin(object, .owner, file, line)
        return object
    }

    /// Keeps an object alive that something else owns, such as a model, until the scope closes.
    ///
    /// The scope cannot release the object earlier, and each call adds a pin. If a long-lived scope needs an object for a while,
    /// use a child scope that closes after that. Or use ``OwnershipRegistry/pin(_:_:by:file:line:)``, which returns a pin that
    /// you can release.
    ///
    /// - Returns: the object.
    @discardableResult
    public func borrow<T: AnyObject & Sendable>(
        _ object: T, file: StaticString = #fileID, line: UInt = #line
    ) throws -> T {
        try pin(object, .borrower, file, line)
        return object
    }

    /// Owns an object until ``takeBack(_:)`` releases it, or the scope closes.
    ///
    /// - Returns: the pin to pass to ``takeBack(_:)``.
    package func ownForNow(
        _ object: some AnyObject & Sendable, file: StaticString, line: UInt
    ) throws -> PinID {
        try pin(object, .owner, file, line)
    }

    /// Releases an object that was owned for a while.
    ///
    /// - Complexity: linear in the number of the scope's pins.
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

    /// Returns the part of the scope with a type and a name, and creates it if there is none.
    ///
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
    package func part<T: AnyObject & Sendable>(_ name: String = "", _ make: () -> T) throws -> T {
        guard let part = life.part(name, make) else { throw closedError }
        return part
    }

    /// Returns the first value that `find` returns for the parts of a type in this scope and its ancestors, the nearest first.
    /// Parts are created where there are none. The parts of an ancestor exist as long as it has children that are closing.
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
    /// ``Scope/current`` is this scope in the task. If the task throws an error other than `CancellationError`, the registry
    /// gives a notice.
    ///
    /// - Returns: the task, to cancel it earlier or to wait for it.
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

    /// Runs a closure soon, and reruns it whenever a value that it read has changed, until the scope closes.
    ///
    /// Otherwise as ``Store/observe(file:line:_:)``.
    public func observe(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
    ) throws {
        let run = try EffectRun(core, file, line)
        try task(file: file, line: line) { try await run.run(body) }
    }

    /// Calls a closure with each element of a sequence, until the sequence ends or the scope closes.
    ///
    /// The closure runs for one element at a time. If the sequence holds the values of a `Subject`, a published property or a
    /// ``Model``, the closure receives every value from this call on. Values that arrive while it runs wait in memory. All other
    /// sequences behave as in a loop. For example, live queries merge the updates that arrive while the closure runs.
    ///
    /// - Parameters:
    ///   - sequence: the sequence. An error ends it and causes a notice.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - body: receives each element.
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
    public func onReceive<S: AsyncSequence & Sendable>(
        _ sequence: S, file: StaticString = #fileID, line: UInt = #line,
        perform body: @escaping @Sendable (S.Element) async throws -> Void
    ) throws {
        let reception = Reception(sequence)
        try task(file: file, line: line) { try await reception.run(body) }
    }

    // MARK: Closing

    /// Runs a closure once when the scope closes, before objects are released. If the closure throws, the registry gives a
    /// notice.
    public func onClose(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
    ) throws {
        guard life.state.withLock({ $0.add(ScopeState.Handler(line: (file, line), run: body)) }) else {
            throw closedError
        }
    }

    /// Whether the scope is closed or closing.
    public var isClosed: Bool { life.state.withLock { $0.phase != .open } }

    /// Closes the scope, in the order that ``Scope`` describes. Closing again does nothing.
    ///
    /// Cancelled tasks may still run after this returns: ``waitUntilClosed()`` waits for them. A child may already be closing: on
    /// another thread, or because the child's own handler calls this. The rest of the close then follows when that child is done.
    ///
    /// When another task closes the scope, an effect or a component's update that was about to begin may still run once.
    public func close() {
        guard let children = life.state.withLock({ $0.beginToClose() }) else { return }
        core?.witnesses.inOrder { $0?.scope(path, isOpen: false) }
        for child in children { child.close() }
        life.childrenWereClosed()
    }

    /// Waits until the scope is closed and its tasks have ended, and those of its children. While the scope is open, cancelling
    /// the waiting task ends the wait. Once the scope is closing, the wait cannot be cancelled.
    ///
    /// In one of these tasks, and in the scope's own block, it returns at once, because it would wait for itself. In a task that
    /// one of these started, it waits until that task is cancelled at the latest, as child tasks are at the end.
    public func waitUntilClosed() async {
        let isInside = isCurrent
        if isInside, Scope.currentMembership?.isOwn == true { return }
        await life.ended(isAlwaysCancellable: isInside)
    }

    /// The numbers of the scope's pins, tasks and children.
    var counts: (pins: Int, tasks: Int, children: Int) {
        life.state.withLock { ($0.pins.count, $0.tasks.count, $0.children.count) }
    }

    package var closedError: StoreError {
        StoreError(.scopeClosed, "the scope \(path) is closed", remedy: "use a longer-lived scope")
    }
}
