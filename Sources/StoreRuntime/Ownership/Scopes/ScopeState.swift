/// The contents of a scope and the progress of its end: a state machine without a lock.
struct ScopeState {
    enum Phase {
        case open, closing
        /// The scope has ended, but the registry and the parent do not know it yet.
        case ended
        case closed
    }

    /// A closure to run when the scope closes.
    struct Handler {
        let line: (file: StaticString, line: UInt)
        let run: @Sendable () throws -> Void
    }

    /// The progress of a caller that waits for the end.
    private enum Wait {
        case begun, cancelled
        case waiting(CheckedContinuation<Void, Never>)
    }

    private(set) var phase = Phase.open
    private(set) var children: [UInt64: Scope] = [:]
    /// The children that have not finished the immediate part of closing.
    private var standing: Set<UInt64> = []
    private(set) var tasks: [UInt64: Task<Void, Never>?] = [:]
    private(set) var pins: [PinID] = []
    private var handlers: [Handler] = []
    private var waits: [UInt64: Wait] = [:]
    private var lastWait: UInt64 = 0
    private var parts: [ScopePartKey: any AnyObject & Sendable] = [:]
    private var lastTask: UInt64 = 0
    /// Whether the scope's own teardown may run once all children have finished theirs.
    private var isTeardownDue = false
    /// Whether the immediate part of closing is done.
    private var isTornDown = false

    // MARK: While it is open

    /// - Returns: whether the scope is open.
    mutating func add(_ child: Scope) -> Bool {
        guard phase == .open else { return false }
        children[child.number] = child
        standing.insert(child.number)
        return true
    }

    /// Reserves a number for a task.
    ///
    /// - Returns: the number; nil when the scope is not open.
    mutating func addTask() -> UInt64? {
        guard phase == .open else { return nil }
        lastTask += 1
        tasks.updateValue(nil, forKey: lastTask)
        return lastTask
    }

    /// Stores a task that was started.
    ///
    /// - Returns: whether to cancel the task, because the scope has begun to close meanwhile.
    mutating func begin(_ task: Task<Void, Never>, _ number: UInt64) -> Bool {
        // The task may have ended already.
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

    /// Returns the part with a key, and creates it if there is none; nil when the scope is not open.
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
    /// - Returns: the children, the newest first; nil if the scope was not open.
    mutating func beginToClose() -> [Scope]? {
        guard phase == .open else { return nil }
        phase = .closing
        return children.sorted { $0.key > $1.key }.map(\.value)
    }

    /// Notes that all children were asked to close.
    ///
    /// - Returns: whether all of them have finished the immediate part of closing, so that this scope has to run its own now.
    mutating func childrenWereClosed() -> Bool {
        isTeardownDue = true
        return takeTeardown()
    }

    /// Notes that a child has finished the immediate part of closing; otherwise as ``childrenWereClosed()``.
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

    /// Takes the handlers to run before objects are released, the newest first.
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

    /// Notes that the immediate part of closing is done.
    ///
    /// - Returns: whether the scope has ended with that.
    mutating func finishTeardown() -> Bool {
        isTornDown = true
        return end()
    }

    /// Notes that a task has ended; otherwise as ``finishTeardown()``.
    mutating func taskEnded(_ number: UInt64) -> Bool {
        tasks.removeValue(forKey: number)
        return end()
    }

    /// Notes that a child has ended; otherwise as ``finishTeardown()``.
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
    /// - Returns: the waiters to resume.
    mutating func endIsKnown() -> [CheckedContinuation<Void, Never>] {
        phase = .closed
        defer { waits = [:] }
        return waits.values.compactMap { if case .waiting(let waiter) = $0 { waiter } else { nil } }
    }

    /// Reserves a number for a caller that waits for the end.
    ///
    /// - Returns: the number.
    mutating func beginWait() -> UInt64 {
        lastWait += 1
        waits[lastWait] = .begun
        return lastWait
    }

    /// Stores a waiter until the scope has ended.
    ///
    /// - Returns: whether the caller need not wait.
    mutating func wait(_ number: UInt64, _ waiter: CheckedContinuation<Void, Never>) -> Bool {
        if phase != .closed, case .begun = waits[number] {
            waits[number] = .waiting(waiter)
            return false
        }
        waits[number] = nil
        return true
    }

    /// Cancels a wait. Does nothing if the scope is closing, unless `whileClosing` is true.
    ///
    /// - Returns: the waiter to resume.
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

/// Identifies a part of a scope.
struct ScopePartKey: Hashable {
    let type: ObjectIdentifier
    let name: String
}
