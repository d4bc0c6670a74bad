import StoreEngine

/// A live result that does not take part in steps yet. Its request runs on its own snapshot, so no step has to wait for it,
/// however long it takes.
struct LiveStart {
    let key: LiveKey
    private var matcher = LiveMatcher()
    private let id: LiveRequestID
    /// The position that the result has reached.
    private(set) var position: Position
    private var catalogVersion: UInt64

    /// Runs the request of a key.
    ///
    /// - Parameter position: the position of the snapshot.
    /// - Throws: ``StoreError``: the error of a request that does not match its record type; `unknownType`; `damaged`.
    init(_ key: LiveKey, in scope: ReadContext, at position: Position) throws(StoreError) {
        let catalog = scope.state.catalog
        let typeIndex = try catalog.requireTypeIndex(named: key.typeName)
        let fields = key.fields?.fieldIndexes(in: catalog.types[typeIndex].type)
        id =
            key.isCount
            ? try matcher.addCount(key.request, typeIndex: typeIndex, in: scope)
            : try matcher.add(key.request, typeIndex: typeIndex, fields: fields, in: scope)
        self.key = key
        self.position = position
        catalogVersion = catalog.version
    }

    /// Returns which parts of a type's changes the request needs.
    func interest(inType number: UInt32) -> StepNet.Interest { matcher.interest(inType: number) }

    /// Applies the commits since the request ran.
    ///
    /// - Parameters:
    ///   - changes: the net changes since then; nil if they are not known, to rerun the request.
    ///   - scope: the snapshot after the changes.
    ///   - position: the position of that snapshot.
    /// - Throws: ``StoreError``, as ``init(_:in:at:)``.
    mutating func catchUp(_ changes: [StepChange]?, in scope: ReadContext, at position: Position) throws(StoreError) {
        let isSameSchema = catalogVersion == scope.state.catalog.version
        let outcome =
            if let changes, isSameSchema { matcher.apply(changes, in: scope) } else { matcher.rerunAll(in: scope) }
        if let failure = outcome.failures.first { throw failure.error }
        self.position = position
        catalogVersion = scope.state.catalog.version
    }

    /// Returns the state of the result at ``position``.
    ///
    /// - Parameter catalog: the catalog of the snapshot at that position.
    func version(_ catalog: Catalog) -> LiveVersion {
        LiveVersion(matcher, id, isCount: key.isCount, at: position, catalog)
    }

    /// Moves the request into a matcher that has reached the same position.
    func adopt(into other: inout LiveMatcher) -> LiveRequestID { other.adopt(id, of: matcher) }
}
