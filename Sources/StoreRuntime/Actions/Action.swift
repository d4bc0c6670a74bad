public import StoreEngine

/// A named, typed intention that changes records when it is run in a write transaction.
///
/// ```swift
/// struct MoveSensor: Action {
///     var id: String
///     var room: String
///
///     func run(in tx: inout WriteTransaction) throws {
///         try tx.update(Sensor.self, id: id) { $0.room = room }
///     }
/// }
/// try await store.send(MoveSensor(id: "s1", room: "attic"))
/// ```
///
/// Sent with ``Store/send(_:durability:timeout:)-(A,_)``, it stands in the feed with the changes it made: its name, itself as JSON, what it
/// returned, and the state its random numbers came of. So what a program did can be told from what came of it, and be done again
/// by a later version of the program to see whether the same comes of it.
///
/// For that, `run` must depend on nothing but the action and its transaction: time is ``WriteTransaction/now``, identifiers are
/// ``WriteTransaction/newID()``, random numbers are ``WriteTransaction/random``. It may run more than once before it is
/// committed, and may call the `run` of other actions. For the same reason neither it nor its result may hold a `Set`, or a dictionary
/// whose keys are no texts: their order differs from run to run.
public protocol Action: Codable, Sendable {
    /// What it returns: `Void`, or something that can be encoded, which is recorded.
    associatedtype Result: Sendable

    /// How the feed calls it; the name of the type unless given. It must stay, or be listed where the feed's actions are decoded:
    /// see ``ActionCatalog``.
    static var actionName: String { get }

    /// Does what is asked for.
    ///
    /// - Throws: whatever it wants: nothing is committed or recorded then.
    func run(in tx: inout WriteTransaction) throws -> Result
}

extension Action {
    /// The name of the type.
    public static var actionName: String { String(describing: Self.self) }
}
