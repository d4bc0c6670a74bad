public import StoreEngine
public import StoreRuntime

/// An action on a program's state that a store keeps as a record: see ``SavedStateStore``.
///
/// It must depend only on the state and on itself, so that the store can rerun it.
public protocol StateAction: Codable, Sendable {
    /// The record type of the state.
    associatedtype State: Record

    /// The action's name in the feed. The default is the name of the type without its enclosing types, so two nested types that
    /// are both called `Action` need explicit names.
    static var actionName: String { get }

    /// Applies the action to the state.
    func reduce(_ state: inout State)
}

extension StateAction {
    /// The name of the type.
    public static var actionName: String { String(describing: Self.self) }
}

/// Wraps a ``StateAction`` as a store's `Action`, so that feeds and traces record it under its name.
///
/// In an `ActionCatalog` it stands for the actions of one type: `ActionCatalog(ReduceState<CounterAction>.self)`.
public struct ReduceState<A: StateAction>: Action where A.State.ID: Codable {
    /// The id of the state's record.
    public let id: A.State.ID
    /// The action that changes the state.
    public let action: A

    /// Creates an action on the state with this id.
    public init(id: A.State.ID, _ action: A) {
        self.id = id
        self.action = action
    }

    /// The name of the ``StateAction``.
    public static var actionName: String { A.actionName }

    /// Applies the action to the record.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `recordNotFound` if the record was deleted; otherwise as an update of
    ///   the record.
    public func run(in tx: inout WriteTransaction) throws {
        try tx.update(A.State.self, id: id) { action.reduce(&$0) }
    }
}
