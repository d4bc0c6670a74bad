/// Makes a property of a class one that is observed: by components and effects that read it, field by field, and as a sequence.
///
/// ```swift
/// final class Session: ObservableObject, Sendable {
///     @Published var user = "nobody"
/// }
/// for await user in session.$user { … }      // the value as it is, then each other one
/// ```
///
/// The class keeps nothing but a constant for it, so that it can be `Sendable`; the property can be used from any thread. Setting
/// it to the same value notifies no observer. Readers are notified after the value has changed; the observers of an
/// ``ObservableObject``'s `objectWillChange` before. The sequence ends with the object, which it does not keep alive.
@attached(accessor, names: named(get), named(set), named(init))
@attached(peer, names: prefixed(_), prefixed(`$`))
public macro Published() = #externalMacro(module: "StoreMacros", type: "PublishedMacro")
