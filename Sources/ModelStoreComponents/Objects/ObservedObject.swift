import StoreRuntime

/// An object that something else owns: a record's ``/ModelStore/Model``, or an object that an ancestor made.
///
/// The component follows the object in its newest value. The object stays alive while the component is placed. `$sensor.celsius`
/// is a binding to a property of the object, or to a field of a model.
///
/// An object that the declaration makes itself, as in `@ObservedObject var session = Session()`, is a new object in each update
/// of the parent, and its state starts over each time. The registry reports that once for the line. Use ``StateObject`` for such
/// an object.
@propertyWrapper
public struct ObservedObject<Object: AnyObject>: DynamicProperty {
    /// The object. An initializer of the component can set it.
    public var wrappedValue: Object
    private let line: (file: StaticString, line: UInt)
    private var confinement: Confinement?

    /// Follows an object.
    public init(wrappedValue: Object, file: StaticString = #fileID, line: UInt = #line) {
        self.wrappedValue = wrappedValue
        self.line = (file, line)
    }

    /// Follows an object, for an initializer that sets the wrapper itself: `_sensor = ObservedObject(initialValue: sensor)`.
    public init(initialValue: Object, file: StaticString = #fileID, line: UInt = #line) {
        self.init(wrappedValue: initialValue, file: file, line: line)
    }

    /// Gives bindings to the object's properties.
    public var projectedValue: ObjectBindings<Object> { ObjectBindings(wrappedValue, line, confinement) }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        confinement = slots.node.tree.confinement
        slots.slot { BorrowedSlot($0, line) }.borrow(wrappedValue)
        (wrappedValue as? any ObservableObject)?._objectWillChange.declare(in: slots.node.scope)
    }
}

extension ObservedObject: Equatable {
    /// Returns whether both follow the same object.
    public static func == (left: ObservedObject, right: ObservedObject) -> Bool {
        left.wrappedValue === right.wrappedValue
    }
}

/// An object that a component's place borrows.
final class BorrowedSlot {
    /// This is no lasting cycle: the place releases its slots when it ends.
    private let node: Node
    private let line: (file: StaticString, line: UInt)
    private(set) weak var object: AnyObject?
    private var borrowing: ComponentPins.Borrowing?
    /// Whether nothing but this place held the object when it arrived.
    private var isUnowned = false
    /// The newest value of the component that was checked.
    private var descriptionCount: UInt64 = 0
    /// Whether an object arrived with several values of the component. The declaration did not make that object, and makes no
    /// later one.
    private var hasStayed = false

    init(_ node: Node, _ line: (file: StaticString, line: UInt)) {
        self.node = node
        self.line = line
    }

    /// Borrows the object in the component's newest value.
    func borrow(_ new: AnyObject) {
        let newValues = node.descriptionCount - descriptionCount
        descriptionCount = node.descriptionCount
        if borrowing != nil, newValues > (object === new ? 0 : 1) { hasStayed = true }
        if object === new { return }
        let pins = node.pins(line)
        let isNewUnowned = pins.isUnowned(new)
        let borrowing = pins.borrow(new, line.file, line.line)
        let isFirst = self.borrowing == nil
        let wasUnowned = isUnowned
        weak let old = object
        if let borrowing = self.borrowing { pins.takeBack(borrowing) }
        self.borrowing = borrowing
        object = new
        isUnowned = isNewUnowned
        guard isUnowned else { return }
        if isFirst { return node.count(constructed: 1, used: 1, of: type(of: new), line) }
        // The place held the only reference to the old object, and holds the only one to this object too. An object that is still
        // alive has another owner.
        guard wasUnowned, old == nil, !hasStayed else { return }
        node.count(constructed: 1, used: 0, of: type(of: new), line)
        node.notify(
            .unowned,
            "\(type(of: new)) has no owner, and each update of the parent creates a new one, so its state starts over; "
                + "use @StateObject, or pass an object that has another owner", line)
    }

    /// Releases the object.
    func takeBack() {
        if let borrowing { node.pins(line).takeBack(borrowing) }
        borrowing = nil
    }
}
