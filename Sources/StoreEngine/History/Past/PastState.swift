package import LMDB

/// What a store held at an earlier position, as what differs in it from a newer one.
///
/// It takes memory for the records that have changed in between, and for their index entries; what has not changed is read
/// where it is.
package struct PastState: Sendable {
    /// The earlier position.
    package let position: Position
    /// The newer one: the head of the feed in the snapshots that ``overlay`` may lie over.
    package let head: Position
    /// The version of the catalog by which index entries were made.
    package let catalogVersion: UInt64
    /// What differs.
    package let overlay: LMDBOverlay
    /// The names of the record types that were added or changed in between.
    package let changedTypes: [String]

    /// Looks up what a transaction's state differs in from an earlier one. Takes time for all that changed in between.
    ///
    /// - Parameter scope: of a transaction that no overlay lies over.
    /// - Throws: ``StoreError``: as ``ReadContext/requireResumable(_:)``; `historyUnavailable` when the feed does not tell all that
    ///   changed in between; `damaged`.
    package init(at position: Position, _ scope: ReadContext) throws(StoreError) {
        try scope.requireResumable(position)
        self.position = position
        head = Position(store: scope.state.identity, head: try scope.toldHead())
        catalogVersion = scope.state.catalog.version
        var earlier = EarlierRecords(scope.state.catalog)
        try scope.forEachPart(after: position, upTo: head.sequence) { (part) throws(StoreError) in
            try earlier.add(part)
        }
        overlay = try OverlayMaker(scope, earlier).make()
        changedTypes = earlier.changedTypes
    }

    /// The same earlier state over the newest one. Takes time for what changed since ``head``, and for putting that together
    /// with what differed before.
    ///
    /// - Parameter scope: of a transaction that no overlay lies over, by the same version of the catalog.
    /// - Throws: as ``init(at:_:)``, about what comes after ``head``.
    package func extended(_ scope: ReadContext) throws(StoreError) -> PastState {
        assert(scope.state.catalog.version == catalogVersion, "the index entries are those of another catalog")
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
