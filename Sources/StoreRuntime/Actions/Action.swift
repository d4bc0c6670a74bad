public import StoreEngine

/// A named, typed intention that changes records when it runs in a write transaction.
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
/// An action that is sent with ``Store/send(_:durability:timeout:)-3zmpb`` is recorded in the feed with its changes. The feed
/// entry holds its name, the action as JSON, its result, and the seed of its random numbers. So you can see which action made a
/// change. A later version of the program can also run the action again, and compare the changes.
///
/// For that, `run` must depend only on the action and its transaction. Take the time from ``WriteTransaction/now``, identifiers
/// from ``WriteTransaction/newID()``, and random numbers from ``WriteTransaction/random``.
///
/// `run` may run more than once before it is committed, and may call the `run` of other actions. Neither the action nor its
/// result may hold a `Set`, or a dictionary whose keys are not encoded as strings. Their order differs from run to run.
public protocol Action: Codable, Sendable {
    /// The result of the action: `Void`, or an encodable value, which is recorded.
    associatedtype Result: Sendable

    /// The name of the action in the feed; by default the name of the type. If you change it, list the old name where the feed's
    /// actions are decoded: see ``ActionCatalog``.
    static var actionName: String { get }

    /// Makes the action's changes.
    ///
    /// - Throws: any error. Nothing is committed or recorded then.
    func run(in tx: inout WriteTransaction) throws -> Result
}

extension Action {
    /// The name of the type.
    public static var actionName: String { String(describing: Self.self) }
}
