/// Makes a property of a class observable: by the components and effects that read it, field by field, and as a sequence.
///
/// ```swift
/// final class Session: ObservableObject, Sendable {
///     @Published var user = "nobody"
/// }
/// for await user in session.$user { … }      // the value as it is, then each other one
/// ```
///
/// `willSet` and `didSet` run with each set. A set that one of them makes does not run it again. The type of a closure needs
/// `@Sendable`.
///
/// The macro stores the value in a constant of the class, so the class can be `Sendable`, and any thread can use the property.
/// Each set stores its value. It notifies no observer if the value is the same as before, by the rule of
/// <doc:ModelsAndLiveQueries#When-two-values-are-the-same>. Readers are notified after the value has changed. The observers of an
/// ``ObservableObject``'s `objectWillChange` are notified before. The sequence ends with the object, and does not keep it alive.
@attached(accessor, names: named(get), named(set), named(init))
@attached(peer, names: prefixed(_), prefixed(`$`), prefixed(_before_), prefixed(_after_))
public macro Published() = #externalMacro(module: "StoreMacros", type: "PublishedMacro")
