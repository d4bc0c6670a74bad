/// The net change of one record in a step.
package struct StepChange: Sendable {
    package let type: OpenType
    /// The record's key.
    package let key: [UInt8]
    /// Insert, update, delete, or replace for a record that was deleted and inserted again: another one with the same id.
    package let kind: ChangeKind
    /// The record before; nil where there was none, and for types of which only what came after is of interest.
    package let before: RecordContent?
    /// The record after; nil where there is none.
    package let after: RecordContent?
    /// The places of the stored fields that an update changed; empty for others.
    package let changedPlaces: PlaceSet

    package init(
        type: OpenType, key: [UInt8], kind: ChangeKind, before: RecordContent?, after: RecordContent?,
        changedPlaces: PlaceSet = PlaceSet()
    ) {
        self.type = type
        self.key = key
        self.kind = kind
        self.before = before
        self.after = after
        self.changedPlaces = changedPlaces
    }
}
