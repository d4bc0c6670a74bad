/// A property of a component that the component's place hosts something for.
///
/// The wrappers of this module conform to it, and you can build your own from them:
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
    /// Passes the dynamic properties that this one contains to the host, always in the same order.
    mutating func visit(_ slots: inout DynamicPropertyVisitor)

    /// Called before each update of the component, after the property received its hosted object. If something could not be
    /// hosted, for example an environment object that no ancestor provides, neither this method nor the component's update runs.
    mutating func update()
}

extension DynamicProperty {
    /// Does nothing.
    public mutating func update() {}
}

/// Gives a component's wrapped properties the objects that are hosted for them.
public struct DynamicPropertyVisitor: ~Copyable {
    let node: Node
    private var next = 0

    init(_ node: Node) { self.node = node }

    /// Gives a dynamic property the object that is hosted for it.
    public mutating func visit(_ property: inout some DynamicProperty) {
        property.visit(&self)
        // A property must not be read if something could not be hosted for it.
        if !node.hasFailed { property.update() }
    }

    /// Ignores any other wrapped property.
    @_disfavoredOverload
    public mutating func visit<Property>(_ property: inout Property) {}

    /// Returns the object in the next slot, and creates it when the component appears.
    ///
    /// A property must use the same number of slots for each of its values. Otherwise the properties after it receive the wrong
    /// slots.
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
