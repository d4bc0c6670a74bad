import LMDB
public import Observation
import StoreEngine
public import StoreRuntime

/// A value that is sent, kept and observed, outside of any class: what state, published properties and bindings are made of.
///
/// ```swift
/// let unit = Subject(Unit.celsius)
/// unit.send(.kelvin)
/// for await value in unit.values { … }      // the value as it is, then each other one
/// let binding = unit.binding(for: \.symbol)
/// ```
///
/// Reading it is tracked by Observation. Sending a value that is the same as the one before notifies no observer, where values can be
/// compared (<doc:LiveModels#When-two-values-are-the-same>). Observers are notified after the value has changed. It can be used from
/// any thread.
///
/// - `state` is protected by its mutex, under which no code of others runs.
public final class Subject<Value: Sendable>: Observable, Sendable {
    private struct State {
        var value: Value
        var version: UInt64 = 0
        var taps: [ObjectIdentifier: SubjectTap<Value>] = [:]
    }

    private let state: HandoverMutex<State>
    private let registrar = ObservationRegistrar()
    private let areSame: (@Sendable (Value, Value) -> Bool)?

    /// A subject with its first value.
    public init(_ value: Value) {
        state = HandoverMutex(State(value: value))
        areSame = Sameness.comparison(of: Value.self)
    }

    deinit {
        let (value, taps) = state.withLock { ($0.value, Array($0.taps.values)) }
        for tap in taps { tap.end(with: value) }
    }

    /// The value as it is now.
    public var value: Value {
        get {
            registrar.access(self, keyPath: \.value)
            let (value, version) = state.withLock { ($0.value, $0.version) }
            ReadLog.current?.note(self, version: version, part: 0)
            return value
        }
        set { send(newValue) }
    }

    /// Sets the value.
    public func send(_ value: Value) { update { $0 = value } }

    /// Changes the value as it is.
    ///
    /// - Parameter body: makes the change. It may run more than once, each time with the value as it is then, where others
    ///   change it at the same time.
    public func update(_ body: (inout Value) -> Void) {
        while true {
            let (old, version) = state.withLock { ($0.value, $0.version) }
            var new = old
            body(&new)
            if let areSame, areSame(old, new) { return }
            let taps = state.withLock { state -> [SubjectTap<Value>]? in
                guard state.version == version else { return nil }
                state.value = new
                state.version += 1
                return Array(state.taps.values)
            }
            guard let taps else { continue }
            // After the change: who is told reads the new value, and who read the old one before he could be told looks at
            // the version.
            MarkingTurn.run {
                registrar.willSet(self, keyPath: \.value)
                registrar.didSet(self, keyPath: \.value)
            }
            for tap in taps { tap.raise() }
            return
        }
    }

    /// The value as it is, and then each other one: an asynchronous sequence that ends when nobody has the subject any more.
    ///
    /// Who is slow misses values between, never the newest, also when that is the last. The sequence does not keep the subject alive.
    public var values: SubjectValues<Value> { SubjectValues(self) }

    /// A binding to the value.
    public var binding: Binding<Value> {
        Binding(get: { [self] in value }, update: { [self] body in update(body) })
    }

    /// A binding to a part of the value.
    public func binding<Part: Sendable>(for path: any WritableKeyPath<Value, Part> & Sendable) -> Binding<Part> {
        binding[dynamicMember: path]
    }

    func add(_ tap: SubjectTap<Value>) { state.withLock { $0.taps[ObjectIdentifier(tap)] = tap } }

    func remove(_ tap: SubjectTap<Value>) { state.withLock { $0.taps[ObjectIdentifier(tap)] = nil } }

    var snapshot: (value: Value, version: UInt64) { state.withLock { ($0.value, $0.version) } }
}

extension Subject: LoggedSource {
    package func hasChanged(since version: UInt64, part: Int) -> Bool { state.withLock { $0.version != version } }
}
