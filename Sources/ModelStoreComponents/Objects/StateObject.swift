import StoreRuntime

/// An object that a component's place in the tree owns.
///
/// ```swift
/// @StateObject var session = Session()
/// ```
///
/// The expression runs when the object is first used, once for the place; new values of the component never run it again. The
/// object lives until the component is not placed there any more. `$session.user` is a binding to one of its properties.
///
/// An object that a parent hands in with a later value is ignored. ``init(owning:file:line:)`` reports that. The form with an
/// expression does where ``OwnershipOptions/checksIgnoredObjects`` is set, as it has to evaluate the expression.
@propertyWrapper
public struct StateObject<Object: AnyObject>: DynamicProperty {
    private enum Source {
        case lazy(() -> Object)
        case eager(Object)
    }

    private let source: Source
    private let line: (file: StaticString, line: UInt)
    private var slot: OwnedSlot<Object>?

    /// An object that is made when it is first used.
    public init(
        wrappedValue make: @autoclosure @escaping () -> Object, file: StaticString = #fileID, line: UInt = #line
    ) {
        source = .lazy(make)
        self.line = (file, line)
    }

    /// An object that was made elsewhere, for the place to own. Those of later values of the component are ignored.
    public init(owning object: Object, file: StaticString = #fileID, line: UInt = #line) {
        source = .eager(object)
        self.line = (file, line)
    }

    /// The object. In a value that no host has, an expression runs each time.
    public var wrappedValue: Object {
        switch source {
        case .lazy(let make): slot?.object(make) ?? make()
        case .eager(let object): slot?.object { object } ?? object
        }
    }

    /// Gives bindings to the object's properties.
    public var projectedValue: ObjectBindings<Object> { ObjectBindings(wrappedValue, line, slot?.confinement) }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let line = line
        let slot = slots.slot { OwnedSlot<Object>($0, line) }
        switch source {
        case .lazy(let make): slot.check(make)
        case .eager(let object): slot.take(object)
        }
        slot.declare()
        self.slot = slot
    }
}

extension StateObject: Equatable {
    /// Always: the object is the place's, and no part of what describes the component.
    public static func == (left: StateObject, right: StateObject) -> Bool { true }
}

/// The object that a component's place owns.
final class OwnedSlot<Object: AnyObject> {
    /// The place lets go its slots when it ends.
    private let node: Node
    private let line: (file: StaticString, line: UInt)
    private var made: Object?
    /// The value of the component that the object came with.
    private var descriptionCount: UInt64 = 0
    /// The one that was handed in last, and is not used.
    private weak var ignored: Object?

    init(_ node: Node, _ line: (file: StaticString, line: UInt)) {
        self.node = node
        self.line = line
    }

    func object(_ make: () -> Object) -> Object {
        if let made { return made }
        let object = make()
        own(object)
        // The newest update could not: there was no object yet.
        node.read { declare() }
        return object
    }

    /// Takes an object that was made before it was asked for.
    func take(_ object: Object) {
        guard let made else { return own(object) }
        // Each update of the component's own hands in what its value has.
        guard made !== object, ignored !== object else { return }
        ignored = object
        tellIgnored(
            "use @ObservedObject to follow what is handed in, or the form with an expression, which makes none that is not used"
        )
    }

    /// Evaluates the expression of a newer value of the component than the object's, once for the line, where that is asked for.
    ///
    /// An object that the expression makes is gone as soon as the owner drops it. An object that was handed in stays.
    func check(_ make: () -> Object) {
        guard let made, node.descriptionCount > descriptionCount, node.beginsCheck(line) else { return }
        let other = WeakObject(make())
        guard let object = other.object else { return node.count(constructed: 1, used: 0, of: Object.self, line) }
        guard object !== made else { return }
        tellIgnored("use @ObservedObject to follow the object. The owner's expression was evaluated once to see this")
    }

    private func tellIgnored(_ remedy: String) {
        node.count(constructed: 1, used: 0, of: Object.self, line)
        node.tell(
            .ignoredObject,
            "\(Object.self) was handed to an owner that has one already and keeps that; \(remedy)", line)
    }

    var confinement: Confinement { node.tree.confinement }

    /// Has the calling update's component updated when the object says that it changes.
    func declare() { (made as? any ObservableObject)?.objectWillChange.declare() }

    private func own(_ object: Object) {
        made = object
        descriptionCount = node.descriptionCount
        // Who has kept the component's value beyond its place has the object to himself.
        if node.isEnded { return }
        node.pins(line).own(object, line.file, line.line)
        node.count(constructed: 1, used: 1, of: Object.self, line)
    }
}
