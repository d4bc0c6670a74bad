/// A property of a component that has something hosted for it.
///
/// The wrappers of this module are such, and a program's own can be made of them:
///
/// ```swift
/// @propertyWrapper
/// struct Counted: DynamicProperty {
///     @State private var count = 0
///
///     mutating func visit(_ slots: inout DynamicPropertyVisitor) { slots.visit(&_count) }
///     var wrappedValue: Int { count }
/// }
/// ```
public protocol DynamicProperty {
    /// Shows the host the dynamic properties that this one is made of, always in the same order.
    mutating func visit(_ slots: inout DynamicPropertyVisitor)

    /// Called before each update of the component, after the property was given what is hosted for it. Where something could not be
    /// hosted, such as an object of the environment that nobody provides, neither this nor the component's update is.
    mutating func update()
}

extension DynamicProperty {
    /// Does nothing.
    public mutating func update() {}
}

/// Where a component's wrapped properties get what is hosted for them.
public struct DynamicPropertyVisitor: ~Copyable {
    let node: Node
    private var next = 0

    init(_ node: Node) { self.node = node }

    /// Gives a dynamic property what is hosted for it.
    public mutating func visit(_ property: inout some DynamicProperty) {
        property.visit(&self)
        // What could not be hosted must not be read.
        if !node.hasFailed { property.update() }
    }

    /// Leaves any other wrapped property alone.
    @_disfavoredOverload
    public mutating func visit<Property>(_ property: inout Property) {}

    /// What is hosted at this place, made when the component appears.
    ///
    /// A property takes as many slots with every value that it has, or those after it get each other's.
    mutating func slot<Slot: AnyObject>(_ make: (Node) -> Slot) -> Slot {
        defer { next += 1 }
        if next < node.slots.count {
            if let slot = node.slots[next] as? Slot { return slot }
            let slot = make(node)
            node.slots[next] = slot
            return slot
        }
        let slot = make(node)
        node.slots.append(slot)
        return slot
    }
}
