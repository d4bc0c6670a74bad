import StoreRuntime

/// Gives a component the newest value of a subject or of an asynchronous sequence.
///
/// ```swift
/// @ObservedPublisher var unit: Unit               // _unit = ObservedPublisher(units)
/// @ObservedPublisher(sensor.values(of: \.celsius)) var celsius = 0.0
/// @ObservedPublisher(publisher: sensor.values(of: \.celsius), initial: 0.0) var celsius: Double       // the same
/// ```
///
/// The place starts a sequence when the component first declares one. The sequence ends with the place, or when a later value of
/// the component has a subject instead. Until then, the sequences of later values are ignored. For a subject, the one in the
/// newest value counts.
@propertyWrapper
public struct ObservedPublisher<Value: Sendable>: DynamicProperty {
    private enum Source {
        case subject(Subject<Value>)
        case sequence(initial: Value, (Subject<Value>) -> @Sendable () async throws -> Void)
    }

    private let source: Source
    private let line: (file: StaticString, line: UInt)
    private var shown: Subject<Value>?

    /// Follows a subject.
    public init(_ subject: Subject<Value>) {
        source = .subject(subject)
        line = (#fileID, #line)
        shown = subject
    }

    /// Follows a sequence, and shows `wrappedValue` until the first element. An error ends the sequence and becomes a notice.
    public init<S: AsyncSequence & Sendable>(
        wrappedValue: Value, _ sequence: S, file: StaticString = #fileID, line: UInt = #line
    ) where S.Element == Value {
        source = .sequence(initial: wrappedValue) { subject in
            { for try await element in sequence { subject.send(element) } }
        }
        self.line = (file, line)
    }

    /// Follows a sequence, and shows `initial` until the first element. An error ends the sequence and becomes a notice.
    public init<S: AsyncSequence & Sendable>(
        publisher sequence: S, initial: Value, file: StaticString = #fileID, line: UInt = #line
    ) where S.Element == Value {
        self.init(wrappedValue: initial, sequence, file: file, line: line)
    }

    /// The newest value.
    public var wrappedValue: Value {
        switch (shown, source) {
        case (let shown?, _): return shown.value
        case (nil, .subject(let subject)): return subject.value
        case (nil, .sequence(let initial, _)):
            UnhostedUse.report("@ObservedPublisher", "it follows no sequence and keeps its initial value", line)
            return initial
        }
    }

    /// The values as a sequence.
    public var projectedValue: SubjectValues<Value>? { shown?.values }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let slot = slots.slot { _ in FollowedSlot<Value>() }
        switch source {
        case .subject(let subject):
            slot.end()
            shown = subject
        case .sequence(let initial, let follow):
            shown = slot.begin { [node = slots.node, line] in
                let subject = Subject(initial)
                return (subject, node.run(line, follow(subject)))
            }
        }
    }
}

extension ObservedPublisher: DeclaredProperty {
    func declaresSame(as old: ObservedPublisher, in registry: OwnershipRegistry) -> Bool {
        switch (old.source, source) {
        case (.subject(let old), .subject(let new)): old === new
        // The place keeps its first sequence.
        case (.sequence, .sequence): true
        default: false
        }
    }
}

/// The sequence that a component's place follows.
private final class FollowedSlot<Value: Sendable> {
    private var followed: (shown: Subject<Value>, task: Task<Void, Never>?)?

    /// Returns the subject that receives the sequence's elements. Starts the sequence if none is followed.
    func begin(_ follow: () -> (Subject<Value>, Task<Void, Never>?)) -> Subject<Value> {
        if let followed { return followed.shown }
        let new = follow()
        followed = new
        return new.0
    }

    func end() {
        followed?.task?.cancel()
        followed = nil
    }
}
