package import LMDB

/// The contents of a store at an earlier position, as the difference from a newer position.
///
/// It takes memory for the records that changed in between, and for their index entries. Everything else is read from the store.
package struct PastState: Sendable {
    /// The earlier position.
    package let position: Position
    /// The newer position: the head of the feed in the snapshots that ``overlay`` can be applied to.
    package let head: Position
    /// The version of the catalog that determines the index entries.
    package let catalogVersion: UInt64
    /// The difference between the two positions.
    package let overlay: LMDBOverlay
    /// The names of the record types that were added or changed in between.
    package let changedTypes: [String]

    /// Computes the difference between a transaction's state and an earlier one. Takes time for all changes in between.
    ///
    /// - Parameter scope: belongs to a transaction without an overlay.
    /// - Throws: ``StoreError``: as ``ReadContext/requireResumable(_:)``; `historyUnavailable` when the feed does not contain all
    ///   changes in between; `damaged`.
    package init(at position: Position, _ scope: ReadContext) throws(StoreError) {
        try scope.requireResumable(position)
        self.position = position
        head = Position(store: scope.state.identity, head: try scope.completeHead())
        catalogVersion = scope.state.catalog.version
        var earlier = EarlierRecords(scope.state.catalog)
        try scope.forEachPart(after: position, upTo: head.sequence) { (part) throws(StoreError) in
            try earlier.add(part)
        }
        overlay = try OverlayMaker(scope, earlier).make()
        changedTypes = earlier.changedTypes
    }

    /// Returns the same earlier state as a difference from the newest one. Takes time for the changes since ``head``, and for
    /// combining them with the existing overlay.
    ///
    /// - Parameter scope: belongs to a transaction without an overlay, with the same version of the catalog.
    /// - Throws: as ``init(at:_:)``, for the changes after ``head``.
    package func extended(_ scope: ReadContext) throws(StoreError) -> PastState {
        assert(scope.state.catalog.version == catalogVersion, "the index entries belong to another catalog")
        let newer = try PastState(at: head, scope)
        return PastState(
            position: position, head: newer.head, catalogVersion: catalogVersion,
            overlay: overlay.combined(over: newer.overlay), changedTypes: changedTypes)
    }

    private init(
        position: Position, head: Position, catalogVersion: UInt64, overlay: LMDBOverlay, changedTypes: [String]
    ) {
        self.position = position
        self.head = head
        self.catalogVersion = catalogVersion
        self.overlay = overlay
        self.changedTypes = changedTypes
    }
}
