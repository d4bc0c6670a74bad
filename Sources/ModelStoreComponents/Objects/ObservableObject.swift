import LMDB
import StoreRuntime

/// A class of a program's own that components observe.
///
/// What components read of its ``Published()`` properties, or of any property that Observation tracks, updates them by itself.
/// `objectWillChange.send()` updates every component that declares the object, whatever it reads of it.
public protocol ObservableObject: AnyObject {
    /// Tells all components that declare the object.
    ///
    /// By default it is looked up by the object; a class that sends often declares `let objectWillChange = ObjectWillChange()`.
    var objectWillChange: ObjectWillChange { get }
}

extension ObservableObject {
    /// The one that belongs to this object.
    public var objectWillChange: ObjectWillChange { ObjectWillChanges.shared.one(of: self) }
}

/// Tells those who declare an object that it changes. See ``ObservableObject``.
public final class ObjectWillChange: Sendable {
    private let sends = Subject<UInt64>(0)

    /// One that nobody observes yet.
    public init() {}

    /// Tells them.
    public func send() { sends.update { $0 &+= 1 } }

    /// How often it was sent, as a sequence that begins with the number as it is.
    public var values: SubjectValues<UInt64> { sends.values }

    /// Has the calling component updated when it is sent.
    func declare() { _ = sends.value }
}

/// Those of objects that do not have their own.
///
/// - `state` is protected by its mutex.
private final class ObjectWillChanges: Sendable {
    private struct Entry: Sendable {
        let reference: WeakObject
        let change: ObjectWillChange
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// At how many entries those of objects that have gone are looked for.
        var limit = 64
    }

    static let shared = ObjectWillChanges()
    private let state = HandoverMutex(State())

    func one(of object: AnyObject) -> ObjectWillChange {
        let id = ObjectIdentifier(object)
        let new = Entry(reference: WeakObject(object), change: ObjectWillChange())
        let known = state.withLock { state in
            // Another object may have had the address before.
            if let known = state.entries[id], known.reference.object === object { return known }
            state.entries[id] = new
            return new
        }
        if known.change === new.change { forgetGone() }
        return known.change
    }

    /// Forgets those of objects that have gone, when there are many.
    private func forgetGone() {
        let entries = state.withLock { $0.entries.count > $0.limit ? $0.entries : [:] }
        if entries.isEmpty { return }
        // Looked at outside of the lock: a reference that is found might be the last, and the object's `deinit` asks for another.
        let gone = entries.filter { $0.value.reference.object == nil }
        state.withLock { state in
            for (id, entry) in gone where state.entries[id]?.change === entry.change { state.entries[id] = nil }
            state.limit = max(64, state.entries.count * 2)
        }
    }
}
