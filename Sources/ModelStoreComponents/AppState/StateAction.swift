public import StoreEngine
public import StoreRuntime

/// An action on a program's state that is kept in a store as a record: see ``SavedStateStore``.
///
/// It must depend on nothing but the state and itself, so that it can be done again.
public protocol StateAction: Codable, Sendable {
    /// The state.
    associatedtype State: Record

    /// How the feed calls it; the name of the type unless given, without those of the types around it. Two that are called `Action`
    /// there need names of their own.
    static var actionName: String { get }

    /// Does the action.
    func reduce(_ state: inout State)
}

extension StateAction {
    /// The name of the type.
    public static var actionName: String { String(describing: Self.self) }
}

/// A ``StateAction`` as the action of a store that feeds and traces record, under its name.
///
/// In an `ActionCatalog` it stands for the actions of one type: `ActionCatalog(ReduceState<CounterAction>.self)`.
public struct ReduceState<A: StateAction>: Action where A.State.ID: Codable {
    /// The id of the state's record.
    public let id: A.State.ID
    /// What is done to it.
    public let action: A

    /// An action on the state with this id.
    public init(id: A.State.ID, _ action: A) {
        self.id = id
        self.action = action
    }

    /// The name of the ``StateAction``.
    public static var actionName: String { A.actionName }

    /// Brings the record to what the action makes of it.
    ///
    /// - Throws: ``StoreError``: `recordNotFound` when the record was deleted; as an update of it.
    public func run(in tx: inout WriteTransaction) throws {
        try tx.update(A.State.self, id: id) { action.reduce(&$0) }
    }
}
