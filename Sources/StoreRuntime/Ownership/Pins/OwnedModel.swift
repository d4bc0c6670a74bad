import StoreEngine

/// A record's model, for those who ask why it is alive.
protocol OwnedModel: RestingObject, Sendable {
    var ownedTypeName: String { get }
    var ownedID: String { get }
    /// The position that it has applied.
    var appliedSequence: UInt64 { get }
}

extension Model: OwnedModel {
    var ownedTypeName: String { R.recordSchema.name }
    var ownedID: String { "\(id)" }
    var appliedSequence: UInt64 { state.newestSequence }
}

/// The live models of a store.
protocol LiveModelSource: AnyObject, Sendable {
    var liveModels: [any OwnedModel] { get }
}

/// What an object is called in reports.
func ownershipLabel(_ object: AnyObject) -> String {
    if let model = object as? any OwnedModel { return "\(model.ownedTypeName) \(model.ownedID)" }
    return "\(type(of: object))"
}
