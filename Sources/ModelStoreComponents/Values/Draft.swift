import LMDB
import StoreEngine
public import StoreRuntime

/// A value of a program's state in the form in which a user edits it, for example an integer as text.
///
/// ```swift
/// @Draft var count: String
///
/// init(_ app: StateStore<AppState, AppAction>) {
///     _count = Draft(app, \.count) { .setCount($0) }
/// }
/// ```
///
/// `$count` is a binding for the field that shows it. Setting the draft to `"12"` sends the action `.setCount(12)`. Setting it to
/// `"12x"`, which is no integer, sends nothing: the place keeps the draft, and the state does not change. When an action changes
/// the state, the state's value replaces the draft. A draft that the state accepts keeps its form, such as `"012"` for 12.
///
/// The draft belongs to the component's place in the tree. In a value without a host, the wrapper shows the state's value and
/// cannot keep a draft, and a notice names the line.
@propertyWrapper
public struct Draft<Edited: Sendable>: DynamicProperty {
    private let state: DraftState<Edited>
    /// The source and the conversions of the draft; nil if they cannot be compared.
    private let source: BindingSource?
    private let line: (file: StaticString, line: UInt)
    private var entry: Subject<DraftEntry<Edited>?>?

    /// Creates the draft of a value that a binding reads and sets.
    ///
    /// A binding to a field of a model or of a ``SavedStateStore`` queues a write. Until the field changes, the draft stays as it
    /// is, even if the write fails.
    ///
    /// - Parameters:
    ///   - source: the state's value.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - show: converts a value to its edited form.
    ///   - parse: converts an input to a value; nil if the input is not valid.
    public init<Value: Sendable & Equatable>(
        _ source: Binding<Value>, file: StaticString = #fileID, line: UInt = #line,
        show: @escaping @Sendable (Value) -> Edited, parse: @escaping @Sendable (Edited) -> Value?
    ) {
        self.init(
            source, [ClosureIdentity(show), ClosureIdentity(parse)], (file, line), show: show, parse: parse)
    }

    /// - Parameter forms: identifies the two conversions.
    private init<Value: Sendable & Equatable>(
        _ source: Binding<Value>, _ forms: [any Hashable & Sendable], _ line: (file: StaticString, line: UInt),
        show: @escaping @Sendable (Value) -> Edited, parse: @escaping @Sendable (Edited) -> Value?
    ) {
        state = DraftState(source, show, parse)
        self.source = source.source?.parts(forms)
        self.line = line
    }

    /// Creates the draft of an element of a state. An action writes it.
    ///
    /// - Parameters:
    ///   - store: the state.
    ///   - path: the element.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - show: converts a value to its edited form.
    ///   - parse: converts an input to a value; nil if the input is not valid.
    ///   - toAction: returns the action that gives the element a value.
    public init<Content: Sendable, Action: Sendable, Value: Sendable & Equatable>(
        _ store: StateStore<Content, Action>, _ path: any KeyPath<Content, Value> & Sendable,
        file: StaticString = #fileID, line: UInt = #line, show: @escaping @Sendable (Value) -> Edited,
        parse: @escaping @Sendable (Edited) -> Value?,
        toAction: @escaping @Sendable (Value) -> Action
    ) {
        self.init(store.binding(path, toAction: toAction), file: file, line: line, show: show, parse: parse)
    }

    /// The draft, or the state's value.
    public var wrappedValue: Edited {
        get { state.shown(entry?.value) }
        nonmutating set {
            guard let entry else { return UnhostedUse.report("@Draft", "it keeps the state's value", line) }
            state.set(newValue, entry)
        }
    }

    /// A binding to the draft, or the state's value.
    public var projectedValue: Binding<Edited> {
        guard let entry else {
            UnhostedUse.report("@Draft", "it keeps the state's value", line)
            return .constant(wrappedValue)
        }
        return Binding { [state] in
            state.shown(entry.value)
        } set: { [state] in
            state.set($0, entry)
        }
    }

    /// Whether the input is valid: false while the place keeps a draft that it did not send.
    public var isValid: Bool { state.isValid(wrappedValue) }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let entry = slots.slot { _ in Subject<DraftEntry<Edited>?>(nil) }
        self.entry = entry
        // A replaced draft must not return when the state has its old value again.
        guard let kept = entry.snapshot.value else { return }
        switch state.standing(kept) {
        case .replaced: entry.send(nil)
        case .current: kept.wait?.end()
        case .awaited: break
        }
    }
}

extension Draft where Edited == String {
    /// Creates the draft of a value as text.
    public init<Value: Sendable & Equatable & LosslessStringConvertible>(
        _ source: Binding<Value>, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(source, ["text"], (file, line)) {
            $0.description
        } parse: {
            Value($0)
        }
    }

    /// Creates the draft of an element of a state as text. An action writes it.
    public init<Content: Sendable, Action: Sendable, Value: Sendable & Equatable & LosslessStringConvertible>(
        _ store: StateStore<Content, Action>, _ path: any KeyPath<Content, Value> & Sendable,
        file: StaticString = #fileID, line: UInt = #line, toAction: @escaping @Sendable (Value) -> Action
    ) {
        self.init(store.binding(path, toAction: toAction), file: file, line: line)
    }
}

extension Draft: DeclaredProperty {
    func declaresSame(as old: Draft, in registry: OwnershipRegistry) -> Bool { source != nil && source == old.source }
}

/// A draft, with the state's value that it belongs to.
private struct DraftEntry<Edited: Sendable>: Sendable {
    let edited: Edited
    let value: any Sendable
    /// Nil if the state takes a value at once.
    let wait: DraftWait?
}

/// The period until the queued writes of a draft, and of the drafts before it, are committed.
///
/// - `earlier` is protected by its mutex.
private final class DraftWait: Sendable {
    private let earlier: HandoverMutex<[any Sendable]>

    init(_ earlier: [any Sendable]) { self.earlier = HandoverMutex(earlier) }

    /// The values that the state may have during this period; empty after it.
    var values: [any Sendable] { earlier.withLock { $0 } }

    func end() { earlier.withLock { $0 = [] } }
}

/// Whether the state still has the value of a draft.
private enum DraftStanding {
    case current
    /// The state will have the value: a queued write sets it.
    case awaited
    case replaced
}

/// Reads and writes the state for a draft.
private struct DraftState<Edited: Sendable>: Sendable {
    typealias Entry = Subject<DraftEntry<Edited>?>

    let isValid: @Sendable (Edited) -> Bool
    let set: @Sendable (Edited, Entry) -> Void
    let standing: @Sendable (DraftEntry<Edited>) -> DraftStanding
    private let show: @Sendable () -> Edited

    init<Value: Sendable & Equatable>(
        _ source: Binding<Value>, _ show: @escaping @Sendable (Value) -> Edited,
        _ parse: @escaping @Sendable (Edited) -> Value?
    ) {
        let areSame = Sameness.wholeComparison(of: Value.self) ?? { $0 == $1 }
        let committed = source.committed ?? { source.wrappedValue }
        let standing: @Sendable (DraftEntry<Edited>) -> DraftStanding = { entry in
            let now = committed()
            func isNow(_ value: any Sendable) -> Bool { (value as? Value).map { areSame($0, now) } ?? false }
            if isNow(entry.value) { return .current }
            return entry.wait?.values.contains(where: isNow) ?? false ? .awaited : .replaced
        }
        self.standing = standing
        self.show = { show(source.wrappedValue) }
        isValid = { parse($0) != nil }
        set = { edited, entry in
            // Readers update once for both changes.
            MarkingTurn.run {
                let kept = entry.snapshot.value
                let awaited = kept.flatMap { standing($0) == .awaited ? $0 : nil }
                let value = parse(edited)
                var wait: DraftWait?
                if source.committed != nil {
                    wait = DraftWait(awaited.map { ($0.wait?.values ?? []) + [$0.value] } ?? [committed()])
                }
                entry.send(
                    DraftEntry(edited: edited, value: value ?? awaited?.value ?? committed(), wait: wait))
                if let value { source.wrappedValue = value }
            }
        }
    }

    func shown(_ entry: DraftEntry<Edited>?) -> Edited {
        if let entry, standing(entry) != .replaced { return entry.edited }
        return show()
    }
}
