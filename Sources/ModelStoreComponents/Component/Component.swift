/// A part of a service that is described by a value, and follows what that value and its wrapped properties read.
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
/// The value is short-lived: its parent makes a new one with each of its own updates. What its wrapped properties host belongs to
/// the component's place in the tree, is made when the component first appears there, and lasts until it is not placed there any
/// more. ``update(_:)`` runs when the component appears, when its parent has made another value of it, and when something that it
/// read has changed: once for all that a commit changed, parents before children, with everything read at one position.
///
/// A value that is `Equatable` and the same as the one before is not updated for its parent's sake.
///
/// The macro ``Component()`` makes a struct one.
public protocol Component: SendableMetatype {
    /// Does what the component is for, and places its children.
    ///
    /// It runs on the host's actor and must not wait. When it throws, the children stay as they were, the error is told as a
    /// notice, and it runs again when something that it read changes.
    func update(_ context: inout ComponentContext) throws

    /// Shows the host the wrapped properties, always in the same order. The macro ``Component()`` writes it.
    mutating func _visit(_ slots: inout DynamicPropertyVisitor)
}

/// Makes a struct a ``Component``: its wrapped properties are hosted by the tree.
@attached(extension, conformances: Component, names: named(_visit))
public macro Component() = #externalMacro(module: "StoreMacros", type: "ComponentMacro")
