import LMDB

/// Knows which objects are kept alive, by whom, since when and from which line.
///
/// Each store has one (``Store/ownership``), which its scopes, models and components use; programs without a store make their
/// own. It can be used from any thread. Pinning and releasing take constant time.
///
/// - `state` is protected by its mutex, under which no object's `deinit` runs; `models` by its own.
public final class OwnershipRegistry: Sendable {
    private struct State {
        var pins: PinState
        var lines = SourceLines()
        var scopes: [UInt64: OpenScope] = [:]
        var lastScope: UInt64 = 0
        /// One for each object, by the last scope that had it. They are asked for their objects outside of the lock only, see
        /// ``livingSuspects()``.
        var suspects: [ObjectIdentifier: Suspect] = [:]
        /// Those that wait for the ends of scopes and their tasks, by the number of the first such scope.
        var suspectsInWaiting: [UInt64: Set<ObjectIdentifier>] = [:]
        var notices = NoticeBook()
        /// Whether a task ends rests as their time comes.
        var isTimed = false
        /// Whether a task tells leaks as their time comes.
        var isTellingLeaks = false

        /// Whether an object that should be gone is not just kept for another reason.
        func isLeaked(_ object: KeptObject) -> Bool {
            !pins.isInScope(object) && !pins.isResting(object) && borrowingScope(of: object) == nil
        }

        /// An open scope in which something borrows an object, such as an iterator in one of its tasks. At most linear in the
        /// object's pins.
        func borrowingScope(of object: KeptObject) -> UInt64? {
            pins.first(of: object) { pin in
                guard pin.kind == .borrower, case .program(let scope?) = pin.holder else { return nil }
                return scopes[scope] == nil ? nil : scope
            }
        }

        /// Has a suspect wait for the ends of scopes.
        ///
        /// - Returns: whether one of them is open.
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
        /// The object that keeps it, where one says so.
        let holder: WeakObject?
    }

    /// What should be gone after the end of a scope.
    private struct Suspect: Sendable {
        let reference: WeakObject
        let scope: String
        let line: UInt32
        /// When that scope was closed, and since its tasks have ended too, when they had.
        var since: Int64
        /// The scopes that have to end before it is one.
        var awaited: [UInt64] = []
        var isTold = false

        var object: KeptObject? { reference.object.map(KeptObject.init) }
    }

    private struct WeakModels {
        weak var source: (any LiveModelSource)?
    }

    private let state: HandoverMutex<State>
    private let models = HandoverMutex(WeakModels())
    private let options: OwnershipOptions

    /// A registry without a store.
    public init(options: OwnershipOptions = OwnershipOptions()) {
        self.options = options
        state = HandoverMutex(
            State(
                pins: PinState(
                    restNanoseconds: max(0, options.gracePeriod.nanoseconds), restLimit: max(0, options.graceLimit))))
        OwnershipWatch.current?.add(self)
    }

    /// Has reports list a store's models.
    func follow(_ source: any LiveModelSource) { models.withLock { $0.source = source } }

    private var now: Int64 { options.clock.now() }

    /// In nanoseconds.
    private var leakDelay: Int64 { max(0, options.leakDelay.nanoseconds) }

    // MARK: Pins

    /// Keeps an object alive until what this returns is released.
    ///
    /// - Parameters:
    ///   - kind: why.
    ///   - holder: the object that keeps it, to find rings of them; it is not kept alive by that.
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

    /// - Returns: whether the object should be gone, as it is in no scope any more.
    private func end(_ id: PinID) -> Bool {
        let now = now
        // The object, if it goes, goes at the end of this function.
        let (unpinned, startsTimer) = state.withLock { state in
            let unpinned = state.pins.unpin(id, at: now)
            let startsTimer = unpinned.rests && !state.isTimed
            if startsTimer { state.isTimed = true }
            return (unpinned, startsTimer)
        }
        if startsTimer { endRestsInTime() }
        return unpinned.shouldBeGone
    }

    /// Ends the pins of a scope that closes, the newest first, and remembers what should be gone after it and is not.
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

    /// The suspects that wait for no scope and are alive; all that are gone are forgotten.
    ///
    /// Whoever asks keeps them until it is done: a reference that is found while the state is locked might be the last, and the
    /// object's `deinit` would run under the lock.
    private func livingSuspects() -> [ObjectIdentifier: KeptObject] {
        let suspects = state.withLock { $0.suspects }
        let living = suspects.compactMapValues(\.object)
        if living.count < suspects.count {
            state.withLock { state in
                for (id, suspect) in suspects where living[id] == nil {
                    // Another object may have come to the address.
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

    /// When the task that ends rests has to look again; nil when none ever ends, and the task does.
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

    /// Lets go at once what is only kept for the grace period.
    public func releaseIdle() {
        let gone = state.withLock { $0.pins.endAllRests() }
        withExtendedLifetime(gone) {}
    }

    // MARK: Scopes

    /// Notes that a scope is open, or something like one.
    ///
    /// - Returns: its number. Numbers rise.
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

    /// Notes that a scope has closed, and its tasks have ended: tells what should be gone with it.
    ///
    /// - Parameter others: scopes whose tasks may have what it had, and have to end too before that.
    func closed(_ number: UInt64, with others: [UInt64] = []) {
        let now = now
        let startsTimer = state.withLock { state in
            state.scopes[number] = nil
            var isDue = false
            for id in state.suspectsInWaiting.removeValue(forKey: number) ?? [] {
                // It may be one of a later scope by now.
                guard let awaited = state.suspects[id]?.awaited, awaited.first == number else { continue }
                if state.wait(id, for: awaited + others) { continue }
                state.suspects[id]?.since = now
                isDue = true
            }
            guard isDue, leakDelay > 0, !state.isTellingLeaks else { return false }
            state.isTellingLeaks = true
            return true
        }
        if leakDelay == 0 { tellLeaks() }
        if startsTimer { tellLeaksInTime() }
    }

    /// The scopes without a parent that are open.
    var roots: [Scope] {
        state.withLock { $0.scopes.values.filter { $0.parent == nil }.compactMap { $0.reference?.scope } }
    }

    // MARK: Asking

    /// What is alive, by whom and since when. Linear in the number of pins, models and scopes.
    public func report() -> OwnershipReport { OwnershipReporter(snapshot()).report() }

    /// What is alive although the last scope that owned or borrowed it is closed.
    public func leaks() -> [OwnershipReport.Leak] { OwnershipReporter(snapshot()).leaks }

    /// Why an object is alive: a model, or any other.
    public func whyAlive(_ object: AnyObject) -> OwnershipReport.Object {
        let object = KeptObject(object)
        return OwnershipReporter(snapshot(of: object)).describe(object)
    }

    /// How much of what there is. Constant time, but for models and leaks: linear in their number.
    public var metrics: OwnershipMetrics {
        let modelCount = models.withLock { $0.source }?.liveModels.count ?? 0
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
        let live = object == nil ? (models.withLock { $0.source }?.liveModels ?? []).map { KeptObject($0) } : []
        let suspects = livingSuspects()
        defer { withExtendedLifetime(suspects) {} }
        let now = now
        return state.withLock { state in
            var snapshot = OwnershipSnapshot(now: now, lines: state.lines)
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
    }

    // MARK: Notices

    /// Tells something, once for its kind and line.
    package func tell(_ notice: OwnershipNotice) {
        guard state.withLock({ $0.notices.isNew(notice) }) else { return }
        let tell = options.onNotice ?? StandardErrorNotice.write
        tell(notice)
    }

    private func tellLeaksInTime() {
        let sleep = options.clock.sleep
        Task { [weak self] in
            while let next = self?.nextLeakTime() {
                do { try await sleep(next) } catch { return }
                self?.tellLeaks()
            }
        }
    }

    /// When the task that tells leaks has to look again; nil when there is nothing ever to tell, and the task ends.
    private func nextLeakTime() -> Int64? {
        state.withLock { state in
            let untold = state.suspects.values.filter { !$0.isTold && $0.awaited.isEmpty }
            let next = untold.map(\.since).min().map { $0.addingSaturated(leakDelay) }
            if let next, next < .max { return next }
            state.isTellingLeaks = false
            return nil
        }
    }

    private func tellLeaks() {
        let now = now
        let living = livingSuspects()
        let leaked = state.withLock { state in
            living.compactMap { id, object -> (Suspect, KeptObject)? in
                guard let suspect = state.suspects[id], !suspect.isTold, suspect.awaited.isEmpty,
                    suspect.since <= now - leakDelay
                else { return nil }
                if state.pins.isInScope(object) {
                    // The scope that has it now answers for it.
                    state.suspects[id] = nil
                    return nil
                }
                if state.pins.isResting(object) {
                    state.suspects[id]?.since = now
                    return nil
                }
                // It is looked at again when that scope ends.
                if let scope = state.borrowingScope(of: object), state.wait(id, for: [scope]) { return nil }
                state.suspects[id]?.isTold = true
                return (suspect, object)
            }
        }
        for (suspect, object) in leaked {
            let line = state.withLock { $0.lines[suspect.line] }
            tell(
                OwnershipNotice(
                    .leaked,
                    "\(ownershipLabel(object.object)) is alive although \(suspect.scope) is closed, the last scope that had it; "
                        + "end what still uses it, or have a scope that lives longer own it: \(whyAlive(object.object))",
                    line: line, scope: suspect.scope))
        }
    }

    /// Whether an owner's expression is to be evaluated for a check now: once for a line.
    package func beginsCheck(_ file: StaticString, _ line: UInt) -> Bool {
        options.checksIgnoredObjects && state.withLock { $0.notices.isNewCheck(SourceLine(file, line)) }
    }

    /// Counts initial values of a place in the source, and tells when some were made for nothing.
    package func count(
        constructed: Int, used: Int, of type: String, _ file: StaticString, _ line: UInt
    ) {
        let isWasteful = state.withLock { state in
            let line = state.lines.number(file, line)
            return state.notices.count(constructed, used, line: line, of: type)
        }
        guard isWasteful else { return }
        tell(
            OwnershipNotice(
                .repeatedConstruction,
                "\(type) is made more often than it is used, with each update of the parent; @StateObject with an expression makes "
                    + "it once", line: SourceLine(file, line)))
    }
}
