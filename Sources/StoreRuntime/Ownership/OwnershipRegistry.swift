import LMDB

/// Records which objects are kept alive, by which owners and borrowers, since when and from which line.
///
/// Each store has a registry (``Store/ownership``), which its scopes, models and components use. A program without a store
/// creates its own. A registry can be used from any thread. Pinning and releasing take constant time.
///
/// - `state` is protected by its mutex, under which no object's `deinit` runs; `store` is protected by its own mutex.
public final class OwnershipRegistry: Sendable {
    private struct State {
        var pins: PinState
        var lines = SourceLines()
        var scopes: [UInt64: OpenScope] = [:]
        var lastScope: UInt64 = 0
        /// One suspect for each object, from the last scope that had the object. Suspects are asked for their objects only
        /// outside of the lock, see ``livingSuspects()``.
        var suspects: [ObjectIdentifier: Suspect] = [:]
        /// The suspects that wait until scopes and their tasks end, by the number of the first such scope.
        var suspectsInWaiting: [UInt64: Set<ObjectIdentifier>] = [:]
        var notices = NoticeBook()
        /// Whether a task is running that ends rests in time.
        var isTimed = false
        /// Whether a task is running that reports leaks in time.
        var isNotifyingLeaks = false

        /// Whether an object that should be gone is leaked: no scope has it, it does not rest, and nothing in an open scope
        /// borrows it.
        func isLeaked(_ object: KeptObject) -> Bool {
            !pins.isInScope(object) && !pins.isResting(object) && borrowingScope(of: object) == nil
        }

        /// Returns an open scope in which something borrows an object, such as an iterator in one of its tasks.
        ///
        /// - Complexity: at most linear in the number of the object's pins.
        func borrowingScope(of object: KeptObject) -> UInt64? {
            pins.first(of: object) { pin in
                guard pin.kind == .borrower, case .program(let scope?) = pin.holder else { return nil }
                return scopes[scope] == nil ? nil : scope
            }
        }

        /// Makes a suspect wait until scopes end.
        ///
        /// - Returns: whether one of the scopes is open.
        mutating func wait(_ id: ObjectIdentifier, for numbers: [UInt64]) -> Bool {
            let open = numbers.filter { scopes[$0] != nil }
            suspects[id]?.awaited = open
            if let first = open.first { suspectsInWaiting[first, default: []].insert(id) }
            return !open.isEmpty
        }
    }

    struct OpenScope {
        let path: String
        let parent: UInt64?
        /// Nil for a place in a tree of components.
        var reference: ScopeReference?
        let line: UInt32
        let since: Int64
        /// The object that keeps the scope, if the caller named one.
        let holder: WeakObject?
    }

    /// An object that should be gone after the end of a scope.
    private struct Suspect: Sendable {
        let reference: WeakObject
        let scope: String
        let line: UInt32
        /// When that scope was closed. Once its tasks have ended too, the time when they ended.
        var since: Int64
        /// The scopes that have to end before the object can be reported.
        var awaited: [UInt64] = []
        var isReported = false

        var object: KeptObject? { reference.object.map(KeptObject.init) }
    }

    /// The parts of the registry's store that reports read.
    private struct FollowedStore {
        weak var models: (any LiveModelSource)?
        var path: String?
        var redoLog: (@Sendable () -> RedoLogUsage?)?
    }

    private let state: HandoverMutex<State>
    private let store = HandoverMutex(FollowedStore())
    private let options: OwnershipOptions

    /// Creates a registry without a store.
    public init(options: OwnershipOptions = OwnershipOptions()) {
        self.options = options
        state = HandoverMutex(
            State(
                pins: PinState(
                    restNanoseconds: max(0, options.gracePeriod.nanoseconds), restLimit: max(0, options.graceLimit))))
        OwnershipWatch.current?.add(self)
        OwnershipRegistries.shared.add(self)
    }

    deinit { OwnershipRegistries.shared.remove(self) }

    /// Lists a store's models and the state of its redo log in reports.
    ///
    /// - Parameters:
    ///   - models: the source of the store's models.
    ///   - path: the path of the store, for reports of other stores.
    ///   - redoLog: returns nil for a store without a log, for a closed one, and where the log cannot be read.
    func follow(
        _ models: any LiveModelSource, path: String, redoLog: @escaping @Sendable () -> RedoLogUsage?
    ) {
        store.withLock { $0 = FollowedStore(models: models, path: path, redoLog: redoLog) }
    }

    /// The name of the registry in reports of other ones.
    var name: String { store.withLock { $0.path }.map { "the store \($0)" } ?? "a registry without a store" }

    private var now: Int64 { options.clock.now() }

    /// In nanoseconds.
    private var leakDelay: Int64 { max(0, options.leakDelay.nanoseconds) }

    // MARK: Pins

    /// Keeps an object alive until the returned pin is released.
    ///
    /// - Parameters:
    ///   - object: the object to keep alive.
    ///   - kind: why the object is kept alive.
    ///   - holder: the object that keeps `object`, so that reports can find cycles. The pin does not keep the holder alive.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    public func pin(
        _ object: some AnyObject & Sendable, _ kind: PinKind = .owner, by holder: AnyObject? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Pin {
        let holder = holder.map { PinState.Holder.object(WeakObject($0)) } ?? Scope.currentHolder
        return Pin(pin(object, kind, by: holder, file, line), self)
    }

    func pin(
        _ object: AnyObject, _ kind: PinKind, by holder: PinState.Holder, _ file: StaticString, _ line: UInt
    ) -> PinID {
        let now = now
        let object = KeptObject(object)
        return state.withLock { state in
            let line = state.lines.number(file, line)
            return state.pins.pin(object, kind, by: holder, line: line, at: now)
        }
    }

    func unpin(_ id: PinID) { _ = end(id) }

    /// - Returns: whether the object should be gone, because no scope has it any more.
    private func end(_ id: PinID) -> Bool {
        let now = now
        // If this was the last reference to the object, it is released at the end of this function, outside of the lock.
        let (unpinned, startsTimer) = state.withLock { state in
            let unpinned = state.pins.unpin(id, at: now)
            let startsTimer = unpinned.rests && !state.isTimed
            if startsTimer { state.isTimed = true }
            return (unpinned, startsTimer)
        }
        if startsTimer { endRestsInTime() }
        return unpinned.shouldBeGone
    }

    /// Ends the pins of a closing scope, the newest first. Notes the objects that should be gone afterwards and are not.
    func unpin(_ ids: [PinID], of path: String, _ number: UInt64) {
        let now = now
        var suspects: [(id: ObjectIdentifier, suspect: Suspect)] = []
        for id in ids.reversed() {
            guard let (object, line) = state.withLock({ $0.pins.content(id) }) else { continue }
            if end(id) {
                let reference = WeakObject(object.object)
                suspects.append((object.id, Suspect(reference: reference, scope: path, line: line, since: now)))
            }
        }
        suspects.removeAll { $0.suspect.object == nil }
        if suspects.isEmpty { return }
        state.withLock { state in
            for (id, suspect) in suspects {
                state.suspects[id] = suspect
                _ = state.wait(id, for: [number])
            }
        }
    }

    /// Returns the suspects that are alive and wait for no scope, and forgets those that are gone.
    ///
    /// The caller keeps the result until it is done. A reference that is loaded while the state is locked might be the last one,
    /// and the object's `deinit` would run under the lock.
    private func livingSuspects() -> [ObjectIdentifier: KeptObject] {
        let suspects = state.withLock { $0.suspects }
        let living = suspects.compactMapValues(\.object)
        if living.count < suspects.count {
            state.withLock { state in
                for (id, suspect) in suspects where living[id] == nil {
                    // The address may belong to another object by now.
                    if state.suspects[id]?.reference === suspect.reference { state.suspects[id] = nil }
                }
            }
        }
        return living.filter { suspects[$0.key]?.awaited.isEmpty == true }
    }

    /// Whether a scope owns or borrows an object.
    func isInScope(_ object: AnyObject) -> Bool {
        let object = KeptObject(object)
        return state.withLock { $0.pins.isInScope(object) }
    }

    // MARK: The grace period

    private func endRestsInTime() {
        let sleep = options.clock.sleep
        Task { [weak self] in
            while let end = self?.nextRestEnd() {
                do { try await sleep(end) } catch { return }
                self?.endRests()
            }
        }
    }

    /// Returns when the task that ends rests has to look again. Returns nil if no rest ever ends, and the task ends.
    private func nextRestEnd() -> Int64? {
        state.withLock { state in
            if let end = state.pins.nextRestEnd, end < .max { return end }
            state.isTimed = false
            return nil
        }
    }

    private func endRests() {
        let now = now
        let gone = state.withLock { $0.pins.endRests(at: now) }
        withExtendedLifetime(gone) {}
    }

    /// Releases all objects that only the grace period keeps.
    public func releaseIdle() {
        let gone = state.withLock { $0.pins.endAllRests() }
        withExtendedLifetime(gone) {}
    }

    // MARK: Scopes

    /// Registers an open scope, or a place in a tree of components.
    ///
    /// - Returns: its number. Later scopes have higher numbers.
    func open(
        _ path: String, in parent: UInt64?, heldBy holder: WeakObject? = nil, _ file: StaticString, _ line: UInt
    ) -> UInt64 {
        let now = now
        return state.withLock { state in
            state.lastScope += 1
            let line = state.lines.number(file, line)
            state.scopes[state.lastScope] = OpenScope(
                path: path, parent: parent, line: line, since: now, holder: holder)
            return state.lastScope
        }
    }

    func opened(_ scope: ScopeReference) { state.withLock { $0.scopes[scope.number]?.reference = scope } }

    /// Registers that a scope has closed and its tasks have ended. Reports the objects that should be gone with it.
    ///
    /// - Parameter others: scopes whose tasks may still have the scope's objects. They have to end too before a report.
    func closed(_ number: UInt64, with others: [UInt64] = []) {
        let now = now
        let startsTimer = state.withLock { state in
            state.scopes[number] = nil
            var isDue = false
            for id in state.suspectsInWaiting.removeValue(forKey: number) ?? [] {
                // The object may be a suspect of a later scope by now.
                guard let awaited = state.suspects[id]?.awaited, awaited.first == number else { continue }
                if state.wait(id, for: awaited + others) { continue }
                state.suspects[id]?.since = now
                isDue = true
            }
            guard isDue, leakDelay > 0, !state.isNotifyingLeaks else { return false }
            state.isNotifyingLeaks = true
            return true
        }
        if leakDelay == 0 { notifyLeaks() }
        if startsTimer { scheduleLeakNotices() }
    }

    /// The open scopes without a parent.
    var roots: [Scope] {
        state.withLock { $0.scopes.values.filter { $0.parent == nil }.compactMap { $0.reference?.scope } }
    }

    // MARK: Asking

    /// Returns a report of the live objects: their owners and borrowers, and the age of each pin. Also reads the state of the
    /// redo log from the store's files.
    ///
    /// - Complexity: linear in the number of pins, models and scopes, and of the commits since the last checkpoint. The objects
    ///   are also looked up in the registries of the process's other stores.
    public func report() -> OwnershipReport {
        OwnershipReporter(snapshot()).report(redoLog: store.withLock { $0.redoLog }?())
    }

    /// Returns the objects that are alive although the last scope that owned or borrowed them is closed.
    public func leaks() -> [OwnershipReport.Leak] { OwnershipReporter(snapshot()).leaks }

    /// Returns why an object is alive: a model, or any other object. Lists the pins of all stores of the process, and names the
    /// store of each foreign model and pin.
    public func whyAlive(_ object: AnyObject) -> OwnershipReport.Object {
        let object = KeptObject(object)
        return OwnershipReporter(snapshot(of: object)).describe(object)
    }

    /// The numbers of pins, objects, models, scopes, leaks and notices.
    ///
    /// - Complexity: linear in the number of models and possible leaks, constant for the rest.
    public var metrics: OwnershipMetrics {
        let modelCount = store.withLock { $0.models }?.liveModels.count ?? 0
        let suspects = livingSuspects()
        defer { withExtendedLifetime(suspects) {} }
        return state.withLock { state in
            OwnershipMetrics(
                pinCount: state.pins.pinCount, objectCount: state.pins.objectCount, modelCount: modelCount,
                restingCount: state.pins.restingCount, scopeCount: state.scopes.count,
                leakCount: suspects.count { state.isLeaked($0.value) }, noticeCount: state.notices.count)
        }
    }

    private func snapshot(of object: KeptObject? = nil) -> OwnershipSnapshot {
        let live = object == nil ? (store.withLock { $0.models }?.liveModels ?? []).map { KeptObject($0) } : []
        let suspects = livingSuspects()
        defer { withExtendedLifetime(suspects) {} }
        let now = now
        var snapshot = state.withLock { state in
            var snapshot = OwnershipSnapshot(now: now, lines: state.lines, registry: self)
            for object in object.map({ [$0] }) ?? state.pins.objects + live {
                snapshot.add(object, state.pins.pins(of: object), isResting: state.pins.isResting(object))
            }
            for (id, object) in suspects where state.isLeaked(object) {
                guard let suspect = state.suspects[id] else { continue }
                snapshot.add(object, state.pins.pins(of: object), isResting: false)
                snapshot.leaks.append((object, suspect.scope, suspect.line, suspect.since))
            }
            snapshot.scopes = state.scopes
            snapshot.constructions = state.notices.constructions
            return snapshot
        }
        snapshot.others = OwnershipRegistries.shared.others(than: self).compactMap {
            $0.snapshot(keeping: snapshot.objects)
        }
        return snapshot
    }

    /// Returns what this registry keeps of some objects; nil if it keeps none.
    private func snapshot(keeping objects: [KeptObject]) -> OwnershipSnapshot? {
        let now = now
        return state.withLock { state in
            let kept = objects.filter { state.pins.keeps($0) }
            if kept.isEmpty { return nil }
            var snapshot = OwnershipSnapshot(now: now, lines: state.lines, registry: self)
            for object in kept {
                snapshot.add(object, state.pins.pins(of: object), isResting: state.pins.isResting(object))
            }
            snapshot.scopes = state.scopes
            return snapshot
        }
    }

    // MARK: Notices

    /// Delivers a notice, once for its kind and line.
    package func notify(_ notice: OwnershipNotice) {
        guard state.withLock({ $0.notices.isNew(notice) }) else { return }
        let notify = options.onNotice ?? StandardErrorNotice.write
        notify(notice)
    }

    private func scheduleLeakNotices() {
        let sleep = options.clock.sleep
        Task { [weak self] in
            while let next = self?.nextLeakTime() {
                do { try await sleep(next) } catch { return }
                self?.notifyLeaks()
            }
        }
    }

    /// Returns when the task that reports leaks has to look again. Returns nil if there is never anything to report, and the task
    /// ends.
    private func nextLeakTime() -> Int64? {
        state.withLock { state in
            let unreported = state.suspects.values.filter { !$0.isReported && $0.awaited.isEmpty }
            let next = unreported.map(\.since).min().map { $0.addingSaturated(leakDelay) }
            if let next, next < .max { return next }
            state.isNotifyingLeaks = false
            return nil
        }
    }

    private func notifyLeaks() {
        let now = now
        let living = livingSuspects()
        let leaked = state.withLock { state in
            living.compactMap { id, object -> (Suspect, KeptObject)? in
                guard let suspect = state.suspects[id], !suspect.isReported, suspect.awaited.isEmpty,
                    suspect.since <= now - leakDelay
                else { return nil }
                if state.pins.isInScope(object) {
                    // The scope that has the object now is responsible for it.
                    state.suspects[id] = nil
                    return nil
                }
                if state.pins.isResting(object) {
                    state.suspects[id]?.since = now
                    return nil
                }
                // The object is checked again when that scope ends.
                if let scope = state.borrowingScope(of: object), state.wait(id, for: [scope]) { return nil }
                state.suspects[id]?.isReported = true
                return (suspect, object)
            }
        }
        for (suspect, object) in leaked {
            let line = state.withLock { $0.lines[suspect.line] }
            notify(
                OwnershipNotice(
                    .leaked,
                    "\(ownershipLabel(object.object)) is still alive, although its last scope \(suspect.scope) is closed; "
                        + "end the work that uses it, or let a longer-lived scope own it: \(whyAlive(object.object))",
                    line: line, scope: suspect.scope))
        }
    }

    /// Whether to evaluate an owner's expression for a check now: once for each line.
    package func beginsCheck(_ file: StaticString, _ line: UInt) -> Bool {
        options.checksIgnoredObjects && state.withLock { $0.notices.isNewCheck(SourceLine(file, line)) }
    }

    /// Whether the owner at a line is still to be checked, as ``beginsCheck(_:_:)`` returns once.
    package func awaitsCheck(_ file: StaticString, _ line: UInt) -> Bool {
        options.checksIgnoredObjects && state.withLock { $0.notices.awaitsCheck(SourceLine(file, line)) }
    }

    /// Counts the initial values that a line of source made and used. Gives a notice if too many were not used.
    package func count(
        constructed: Int, used: Int, of type: String, _ file: StaticString, _ line: UInt
    ) {
        let isWasteful = state.withLock { state in
            let line = state.lines.number(file, line)
            return state.notices.count(constructed, used, line: line, of: type)
        }
        guard isWasteful else { return }
        notify(
            OwnershipNotice(
                .repeatedConstruction,
                "each update of the parent creates a \(type) that is not used; use @StateObject with an expression, which creates "
                    + "it once", line: SourceLine(file, line)))
    }
}
