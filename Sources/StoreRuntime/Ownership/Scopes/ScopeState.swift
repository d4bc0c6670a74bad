/// What a scope has, and how far its end is: a state machine without a lock.
struct ScopeState {
    enum Phase {
        case open, closing
        /// All is over, which has yet to be told.
        case ended
        case closed
    }

    /// Something to do at the end.
    struct Handler {
        let line: (file: StaticString, line: UInt)
        let run: @Sendable () throws -> Void
    }

    /// How far somebody is who waits for the end.
    private enum Wait {
        case begun, cancelled
        case waiting(CheckedContinuation<Void, Never>)
    }

    private(set) var phase = Phase.open
    private(set) var children: [UInt64: Scope] = [:]
    /// Those children that have yet to do what closing does at once.
    private var standing: Set<UInt64> = []
    private(set) var tasks: [UInt64: Task<Void, Never>?] = [:]
    private(set) var pins: [PinID] = []
    private var handlers: [Handler] = []
    private var waits: [UInt64: Wait] = [:]
    private var lastWait: UInt64 = 0
    private var parts: [ScopePartKey: any AnyObject & Sendable] = [:]
    private var lastTask: UInt64 = 0
    /// Whether the rest may be done once no child stands any more.
    private var isTeardownDue = false
    /// Whether all has been done that closing does at once.
    private var isTornDown = false

    // MARK: While it is open

    /// - Returns: whether the scope is open.
    mutating func add(_ child: Scope) -> Bool {
        guard phase == .open else { return false }
        children[child.number] = child
        standing.insert(child.number)
        return true
    }

    /// Makes room for a task.
    ///
    /// - Returns: its number; nil when the scope is not open.
    mutating func addTask() -> UInt64? {
        guard phase == .open else { return nil }
        lastTask += 1
        tasks.updateValue(nil, forKey: lastTask)
        return lastTask
    }

    /// Takes a task that was begun.
    ///
    /// - Returns: whether it has to be cancelled, since the scope has begun to close meanwhile.
    mutating func begin(_ task: Task<Void, Never>, _ number: UInt64) -> Bool {
        // It may have ended already.
        guard tasks.keys.contains(number) else { return false }
        tasks.updateValue(task, forKey: number)
        return phase != .open
    }

    mutating func add(_ pin: PinID) -> Bool {
        guard phase == .open else { return false }
        pins.append(pin)
        return true
    }

    mutating func remove(_ pin: PinID) {
        if let index = pins.lastIndex(of: pin) { pins.remove(at: index) }
    }

    mutating func add(_ handler: Handler) -> Bool {
        guard phase == .open else { return false }
        handlers.append(handler)
        return true
    }

    /// The part with a key, made where there is none; nil when the scope is not open.
    mutating func part<T: AnyObject & Sendable>(_ key: ScopePartKey, _ make: () -> T) -> T? {
        if let part = parts[key] as? T { return part }
        guard phase == .open else { return nil }
        let part = make()
        parts[key] = part
        return part
    }

    // MARK: Closing

    /// Begins to close.
    ///
    /// - Returns: the children, the newest first; nil when that was done before.
    mutating func beginToClose() -> [Scope]? {
        guard phase == .open else { return nil }
        phase = .closing
        return children.sorted { $0.key > $1.key }.map(\.value)
    }

    /// Notes that all children were asked to close.
    ///
    /// - Returns: whether all of them have done what closing does at once, so that the rest is to be done now.
    mutating func childrenWereClosed() -> Bool {
        isTeardownDue = true
        return takeTeardown()
    }

    /// Notes that a child has done what closing does at once; as ``childrenWereClosed()``.
    mutating func childTornDown(_ number: UInt64) -> Bool {
        standing.remove(number)
        return takeTeardown()
    }

    private mutating func takeTeardown() -> Bool {
        guard isTeardownDue, standing.isEmpty else { return false }
        isTeardownDue = false
        return true
    }

    /// The tasks to cancel, the newest first.
    var runningTasks: [Task<Void, Never>] { tasks.sorted { $0.key > $1.key }.compactMap(\.value) }

    /// What to do before objects are let go, the newest first.
    mutating func takeHandlers() -> [Handler] {
        defer { handlers = [] }
        return handlers.reversed()
    }

    mutating func takePins() -> [PinID] {
        defer { pins = [] }
        return pins
    }

    mutating func takeParts() -> [any AnyObject & Sendable] {
        defer { parts = [:] }
        return Array(parts.values)
    }

    /// Notes that all is done that closing does at once.
    ///
    /// - Returns: whether the scope has ended with that.
    mutating func finishTeardown() -> Bool {
        isTornDown = true
        return end()
    }

    /// Notes that a task has ended; as ``finishTeardown()``.
    mutating func taskEnded(_ number: UInt64) -> Bool {
        tasks.removeValue(forKey: number)
        return end()
    }

    /// Notes that a child has ended; as ``finishTeardown()``.
    mutating func childEnded(_ number: UInt64) -> Bool {
        children[number] = nil
        return end()
    }

    private mutating func end() -> Bool {
        guard phase == .closing, isTornDown, tasks.isEmpty, children.isEmpty else { return false }
        phase = .ended
        return true
    }

    /// Notes that the registry and the parent know of the end.
    ///
    /// - Returns: those to tell too.
    mutating func endIsKnown() -> [CheckedContinuation<Void, Never>] {
        phase = .closed
        defer { waits = [:] }
        return waits.values.compactMap { if case .waiting(let waiter) = $0 { waiter } else { nil } }
    }

    /// Makes room for one who waits for the end.
    ///
    /// - Returns: his number.
    mutating func beginWait() -> UInt64 {
        lastWait += 1
        waits[lastWait] = .begun
        return lastWait
    }

    /// Has a waiter told of the end.
    ///
    /// - Returns: whether he need not wait.
    mutating func wait(_ number: UInt64, _ waiter: CheckedContinuation<Void, Never>) -> Bool {
        if phase != .closed, case .begun = waits[number] {
            waits[number] = .waiting(waiter)
            return false
        }
        waits[number] = nil
        return true
    }

    /// Has one wait no more, unless the scope is closing and that is to be waited for.
    ///
    /// - Returns: who is to be told.
    mutating func cancelWait(_ number: UInt64, whileClosing: Bool) -> CheckedContinuation<Void, Never>? {
        guard phase == .open || whileClosing else { return nil }
        switch waits[number] {
        case .begun:
            waits[number] = .cancelled
            return nil
        case .waiting(let waiter):
            waits[number] = nil
            return waiter
        case .cancelled, nil:
            return nil
        }
    }
}

/// What a part of a scope is found by.
struct ScopePartKey: Hashable {
    let type: ObjectIdentifier
    let name: String
}
