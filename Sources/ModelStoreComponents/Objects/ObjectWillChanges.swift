import LMDB
import StoreRuntime

/// The ``ObjectWillChange`` instances of objects that do not declare their own.
///
/// An entry goes with its object: a sentinel in a published property of the object removes it. Swift has no sign for the release
/// of an object without such a property. While one of these is observed, a task looks for released ones at intervals. Otherwise,
/// their entries are removed when there are many.
///
/// - `state` is protected by its mutex.
final class ObjectWillChanges: Sendable {
    private struct Entry: Sendable {
        let reference: WeakObject
        let change: ObjectWillChange
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of entries at which those of released objects are removed.
        var limit = 64
        /// The entries of objects that hold no sentinel.
        var unguarded: Set<ObjectIdentifier> = []
        /// Whether the task runs.
        var isWatching = false

        mutating func remove(_ id: ObjectIdentifier, _ change: ObjectWillChange) -> Entry? {
            guard entries[id]?.change === change else { return nil }
            unguarded.remove(id)
            return entries.removeValue(forKey: id)
        }
    }

    /// The time between two looks for released objects.
    private static let watchInterval = Duration.milliseconds(100)

    static let shared = ObjectWillChanges()
    private let state = HandoverMutex(State())

    func one(of object: AnyObject) -> ObjectWillChange {
        let id = ObjectIdentifier(object)
        if ObservedLookup.isRunning { return known(id, object) ?? ObservedLookup.none }
        let new = Entry(reference: WeakObject(object), change: ObjectWillChange())
        let known = state.withLock { state in
            // The address may have belonged to another object before.
            if let known = state.entries[id], known.reference.object === object { return known }
            state.entries[id] = new
            return new
        }
        if known.change === new.change {
            if !ObjectEnd.attach(to: object, id, new.change) { watchUnguarded(id, new.change) }
            forgetGone()
        }
        return known.change
    }

    private func known(_ id: ObjectIdentifier, _ object: AnyObject) -> ObjectWillChange? {
        guard let entry = state.withLock({ $0.entries[id] }), entry.reference.object === object else { return nil }
        return entry.change
    }

    /// Removes the entry of a released object.
    func forget(_ id: ObjectIdentifier, _ change: ObjectWillChange) {
        let gone = state.withLock { $0.remove(id, change) }
        withExtendedLifetime(gone) {}
    }

    /// Watches an object without a sentinel while it is observed.
    private func watchUnguarded(_ id: ObjectIdentifier, _ change: ObjectWillChange) {
        state.withLock { _ = $0.unguarded.insert(id) }
        change.onFirstObserver { [self] in watch() }
    }

    private func watch() {
        let isNew = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        guard isNew else { return }
        Task.detached(priority: .utility) { [self] in
            repeat { try? await Task.sleep(for: Self.watchInterval) } while endUnguarded()
        }
    }

    /// Ends the instances of released objects that held no sentinel.
    ///
    /// - Returns: whether one of the others is observed.
    private func endUnguarded() -> Bool {
        let entries = state.withLock { state in
            state.unguarded.compactMap { id in state.entries[id].map { (id, $0) } }
        }
        // Checked outside the lock, as in `forgetGone`.
        for (id, entry) in entries where entry.reference.object == nil {
            forget(id, entry.change)
            entry.change.end()
        }
        return state.withLock { state in
            state.isWatching = state.unguarded.contains { state.entries[$0]?.change.isObserved ?? false }
            return state.isWatching
        }
    }

    /// Removes the entries of released objects if there are many entries.
    private func forgetGone() {
        let entries = state.withLock { $0.entries.count > $0.limit ? $0.entries : [:] }
        if entries.isEmpty { return }
        // Checked outside the lock: the reference found may be the last one, and the object's `deinit` may then take this lock.
        let gone = entries.filter { $0.value.reference.object == nil }
        state.withLock { state in
            for (id, entry) in gone { _ = state.remove(id, entry.change) }
            state.limit = max(64, state.entries.count * 2)
        }
        for entry in gone.values { entry.change.end() }
    }
}

/// Reads an object's `objectWillChange` without creating one.
enum ObservedLookup {
    /// Stands for an instance that no subscriber has requested yet.
    static let none = ObjectWillChange()

    /// Not nil while the calling thread reads the property.
    private static let slot = ThreadSlot()

    static var isRunning: Bool { unsafe slot.pointer != nil }

    /// Returns the instance of an object if it has observers.
    static func observed(of object: some ObservableObject) -> ObjectWillChange? {
        unsafe slot.pointer = UnsafeMutableRawPointer(bitPattern: 1)
        let change = object._objectWillChange
        unsafe slot.pointer = nil
        return change.isObserved ? change : nil
    }
}
