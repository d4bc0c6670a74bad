import StoreEngine

/// A record's model, as ownership reports list it.
protocol OwnedModel: RestingObject, Sendable {
    var ownedTypeName: String { get }
    var ownedID: String { get }
    /// The registry of its store.
    var registry: OwnershipRegistry { get }
    /// The newest position that the model has applied.
    var appliedSequence: UInt64 { get }
}

extension Model: OwnedModel {
    var ownedTypeName: String { R.recordSchema.name }
    var ownedID: String { "\(id)" }
    var registry: OwnershipRegistry { core.ownership }
    var appliedSequence: UInt64 { state.newestSequence }
}

/// The live models of a store.
protocol LiveModelSource: AnyObject, Sendable {
    var liveModels: [any OwnedModel] { get }
}

/// Returns the name of an object in reports.
func ownershipLabel(_ object: AnyObject) -> String {
    if let model = object as? any OwnedModel { return "\(model.ownedTypeName) \(model.ownedID)" }
    return "\(type(of: object))"
}
