import LMDB
import StoreRuntime

/// The ``ObjectWillChange`` instances of objects that do not declare their own.
///
/// An entry goes with its object: a sentinel in a published property of the object removes it. Entries of objects without such a
/// property are removed when there are many.
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
    }

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
            ObjectEnd.attach(to: object, id, new.change)
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
        let gone = state.withLock { $0.entries[id]?.change === change ? $0.entries.removeValue(forKey: id) : nil }
        withExtendedLifetime(gone) {}
    }

    /// Removes the entries of released objects if there are many entries.
    private func forgetGone() {
        let entries = state.withLock { $0.entries.count > $0.limit ? $0.entries : [:] }
        if entries.isEmpty { return }
        // Checked outside the lock: the reference found may be the last one, and the object's `deinit` may then take this lock.
        let gone = entries.filter { $0.value.reference.object == nil }
        state.withLock { state in
            for (id, entry) in gone where state.entries[id]?.change === entry.change { state.entries[id] = nil }
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
        let change = object.objectWillChange
        unsafe slot.pointer = nil
        return change.isObserved ? change : nil
    }
}
