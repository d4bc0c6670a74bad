/// A part of a service that a value describes. It updates when something changes that the value or its wrapped properties read.
///
/// ```swift
/// @Component
/// struct Room {
///     let name: String
///     @State private var alarms = 0
///     @ObservedObject var sensor: Model<Sensor>
///
///     func update(_ context: inout ComponentContext) {
///         if sensor.celsius > 30 { context.place(Alarm(room: name), id: name) }
///     }
/// }
/// ```
///
/// The value is short-lived: the parent makes a new one in each of its own updates. The objects that wrapped properties host
/// belong to the component's place in the tree. They are created when the component first appears there, and last until an update
/// no longer places it.
///
/// ``update(_:)`` runs in three cases:
///
/// - The component appears.
/// - Its parent made another value of it.
/// - Something that it read has changed.
///
/// It runs once for all changes of a commit, parents before children, and reads everything at one position. A new value from the
/// parent causes no update if it is the same as before: by the type's `==` if it is `Equatable`, otherwise in all stored
/// properties. <doc:Ownership#When-a-component-is-updated> says how these compare.
///
/// The macro ``Component()`` makes a struct a component.
public protocol Component: SendableMetatype {
    /// Does the component's work, and places its children.
    ///
    /// It runs on the host's actor and must not wait. If it throws, the children stay as they were, the registry reports the
    /// error as a notice, and the update runs again when something that it read changes.
    func update(_ context: inout ComponentContext) throws

    /// Passes the wrapped properties to the host, always in the same order. The macro ``Component()`` writes this method.
    mutating func _visit(_ slots: inout DynamicPropertyVisitor)

    /// Adds the stored properties, by which the host compares two values. The macro ``Component()`` writes this method.
    static func _addFields(to fields: inout ComponentFields<Self>)
}

/// Makes a struct a ``Component``: the tree hosts its wrapped properties.
@attached(extension, conformances: Component, names: named(_visit), named(_addFields))
public macro Component() = #externalMacro(module: "StoreMacros", type: "ComponentMacro")
