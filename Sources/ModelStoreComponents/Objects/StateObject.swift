import StoreRuntime

/// An object that a component's place in the tree owns.
///
/// ```swift
/// @StateObject var session = Session()
/// ```
///
/// The expression runs once for the place, before the component's first update there, even if nothing reads the object. New
/// values of the component never run it again. The object lives until the component is no longer placed there. `$session.user` is
/// a binding to one of its properties. To make a costly object when it is first read, write `@StateObject(.lazy)`.
///
/// The place ignores an object that a parent passes with a later value. ``init(owning:file:line:)`` reports this. The form with
/// an expression reports it only if ``/ModelStore/OwnershipOptions/checksIgnoredObjects`` is set, because the check has to
/// evaluate the expression.
@propertyWrapper
public struct StateObject<Object: AnyObject>: DynamicProperty {
    private enum Source {
        case expression(() -> Object, ObjectCreation)
        case object(Object)
    }

    private let source: Source
    private let line: (file: StaticString, line: UInt)
    private var slot: OwnedSlot<Object>?

    /// Owns an object that the expression makes.
    ///
    /// - Parameters:
    ///   - make: makes the object. It runs on the host, at most once for the place.
    ///   - creation: when the expression runs.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    public init(
        wrappedValue make: @autoclosure @escaping () -> Object, _ creation: ObjectCreation = .eager,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        source = .expression(make, creation)
        self.line = (file, line)
    }

    /// Owns an object that was made elsewhere. The place ignores the objects of later values of the component.
    public init(owning object: Object, file: StaticString = #fileID, line: UInt = #line) {
        source = .object(object)
        self.line = (file, line)
    }

    /// The object. In a value without a host, an expression runs at each read, and a notice names the line.
    public var wrappedValue: Object {
        switch source {
        case .expression(let make, _):
            if let slot { return slot.object(make) }
            UnhostedUse.report("@StateObject", "each read makes a new object", line)
            return make()
        case .object(let object): return slot?.object { object } ?? object
        }
    }

    /// Gives bindings to the object's properties.
    public var projectedValue: ObjectBindings<Object> { ObjectBindings(wrappedValue, line, slot?.confinement) }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let line = line
        let slot = slots.slot { OwnedSlot<Object>($0, line) }
        switch source {
        case .expression(let make, let creation):
            slot.check(make)
            if creation == .eager { slot.prepare(make) }
        case .object(let object): slot.take(object)
        }
        slot.declare()
        self.slot = slot
    }
}

/// When a place makes the object of a ``StateObject``.
public enum ObjectCreation: Sendable {
    /// Before the component's first update at the place.
    case eager
    /// When the object is first read.
    case lazy
}

extension StateObject: Equatable {
    /// Always true: the object belongs to the place, and does not describe the component.
    public static func == (left: StateObject, right: StateObject) -> Bool { true }
}

extension StateObject: DeclaredProperty {
    func declaresSame(as old: StateObject, in registry: OwnershipRegistry) -> Bool {
        switch (old.source, source) {
        // The place ignores the expression, except for a check.
        case (.expression, .expression): !registry.awaitsCheck(line.file, line.line)
        case (.object(let old), .object(let new)): old === new
        default: false
        }
    }
}

/// The object that a component's place owns.
final class OwnedSlot<Object: AnyObject> {
    /// This is no lasting cycle: the place releases its slots when it ends.
    private let node: Node
    private let line: (file: StaticString, line: UInt)
    private var made: Object?
    /// The value of the component that the object arrived with.
    private var descriptionCount: UInt64 = 0
    /// The unused object that was passed last.
    private weak var ignored: Object?

    init(_ node: Node, _ line: (file: StaticString, line: UInt)) {
        self.node = node
        self.line = line
    }

    func object(_ make: () -> Object) -> Object {
        if let made { return made }
        let object = make()
        own(object)
        // The newest update could not declare the object, because there was none yet.
        node.read { declare() }
        return object
    }

    /// Makes the object before its first use.
    func prepare(_ make: () -> Object) {
        if made == nil { own(make()) }
    }

    /// Takes an object that was made before its first use.
    func take(_ object: Object) {
        guard let made else { return own(object) }
        // An update that the component itself causes passes the object of its current value again.
        guard made !== object, ignored !== object else { return }
        ignored = object
        notifyIgnored(
            "use @ObservedObject to follow the passed object, or pass an expression, which creates only the object that is used"
        )
    }

    /// Evaluates the expression of a newer value of the component, if checks are enabled, and once for each line.
    ///
    /// An object that the expression makes is released as soon as this method drops it. An object that the parent passed stays
    /// alive.
    func check(_ make: () -> Object) {
        guard let made, node.descriptionCount > descriptionCount, node.beginsCheck(line) else { return }
        let other = WeakObject(make())
        guard let object = other.object else { return node.count(constructed: 1, used: 0, of: Object.self, line) }
        guard object !== made else { return }
        notifyIgnored("use @ObservedObject to follow the object (this check evaluated the owner's expression once)")
    }

    private func notifyIgnored(_ remedy: String) {
        node.count(constructed: 1, used: 0, of: Object.self, line)
        node.notify(
            .ignoredObject,
            "\(Object.self) was passed to an owner that already has one and keeps it; \(remedy)", line)
    }

    var confinement: Confinement { node.tree.confinement }

    /// Updates the calling component when the object announces a change.
    func declare() { (made as? any ObservableObject)?._objectWillChange.declare(in: node.scope) }

    private func own(_ object: Object) {
        made = object
        descriptionCount = node.descriptionCount
        // The program kept the component's value after its place ended, so that value alone owns the object.
        if node.isEnded { return }
        node.pins(line).own(object, line.file, line.line)
        node.count(constructed: 1, used: 1, of: Object.self, line)
    }
}
