import StoreRuntime

/// An object that something else owns: a record's ``Model``, or what an ancestor made.
///
/// The component follows the object that its newest value has. While it is placed, the object is kept alive. `$sensor.celsius` is
/// a binding to one of its properties, or of a model's fields.
///
/// An object that is made in place, `@ObservedObject var session = Session()`, is another one with each update of the parent, and
/// starts anew each time; the registry tells so once for the line. That is what ``StateObject`` is for.
@propertyWrapper
public struct ObservedObject<Object: AnyObject>: DynamicProperty {
    /// The object. An initializer of the component can set it.
    public var wrappedValue: Object
    private let line: (file: StaticString, line: UInt)
    private var confinement: Confinement?

    /// An object to follow.
    public init(wrappedValue: Object, file: StaticString = #fileID, line: UInt = #line) {
        self.wrappedValue = wrappedValue
        self.line = (file, line)
    }

    /// An object to follow, for an initializer that sets the wrapper itself: `_sensor = ObservedObject(initialValue: sensor)`.
    public init(initialValue: Object, file: StaticString = #fileID, line: UInt = #line) {
        self.init(wrappedValue: initialValue, file: file, line: line)
    }

    /// Gives bindings to the object's properties.
    public var projectedValue: ObjectBindings<Object> { ObjectBindings(wrappedValue, line, confinement) }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        confinement = slots.node.tree.confinement
        slots.slot { BorrowedSlot($0, line) }.borrow(wrappedValue)
        (wrappedValue as? any ObservableObject)?.objectWillChange.declare()
    }
}

extension ObservedObject: Equatable {
    /// Whether both follow the same object.
    public static func == (left: ObservedObject, right: ObservedObject) -> Bool {
        left.wrappedValue === right.wrappedValue
    }
}

/// An object that a component's place borrows.
final class BorrowedSlot {
    /// The place lets go its slots when it ends.
    private let node: Node
    private let line: (file: StaticString, line: UInt)
    private(set) weak var object: AnyObject?
    private var borrowing: ComponentPins.Borrowing?
    /// Whether nothing but this place had the object when it came.
    private var isUnowned = false
    /// The newest of the component's values that was looked at.
    private var descriptionCount: UInt64 = 0
    /// Whether an object has come with several of them. It was not made in place then, and no later one is.
    private var hasStayed = false

    init(_ node: Node, _ line: (file: StaticString, line: UInt)) {
        self.node = node
        self.line = line
    }

    /// Borrows the object that the component's newest value has.
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
        // It went as soon as the place let it go, and so will this one. One that is there still is somebody's.
        guard wasUnowned, old == nil, !hasStayed else { return }
        node.count(constructed: 1, used: 0, of: type(of: new), line)
        node.tell(
            .unowned,
            "\(type(of: new)) is owned by nobody and is made anew with each update of the parent, so that its state starts over; "
                + "use @StateObject, or hand in an object that something else owns", line)
    }

    /// Lets the object go.
    func takeBack() {
        if let borrowing { node.pins(line).takeBack(borrowing) }
        borrowing = nil
    }
}
