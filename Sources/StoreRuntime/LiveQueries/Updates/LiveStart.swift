import StoreEngine

/// A live result before it is kept up to date with the others: its request is run on a snapshot of its own, so that no step has
/// to wait for it, however long it takes.
struct LiveStart {
    let key: LiveKey
    private var matcher = LiveMatcher()
    private let id: LiveRequestID
    /// Up to where it is.
    private(set) var position: Position
    private var catalogVersion: UInt64

    /// Runs the request of a key.
    ///
    /// - Parameter position: that of the snapshot.
    /// - Throws: ``StoreError``: why the request does not fit its type; `unknownType`; `damaged`.
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

    /// What of a type's changes is of interest.
    func interest(inType number: UInt32) -> StepNet.Interest { matcher.interest(inType: number) }

    /// Takes in what was committed since it was run.
    ///
    /// - Parameters:
    ///   - changes: the net changes since; nil where these are not known, so that the request is run again.
    ///   - scope: the snapshot after them.
    ///   - position: that of the snapshot.
    /// - Throws: ``StoreError`` as when it is run.
    mutating func catchUp(_ changes: [StepChange]?, in scope: ReadContext, at position: Position) throws(StoreError) {
        let isSameSchema = catalogVersion == scope.state.catalog.version
        let outcome =
            if let changes, isSameSchema { matcher.apply(changes, in: scope) } else { matcher.rerunAll(in: scope) }
        if let failure = outcome.failures.first { throw failure.error }
        self.position = position
        catalogVersion = scope.state.catalog.version
    }

    /// What the result is where it stands.
    ///
    /// - Parameter catalog: that of the snapshot which it was run on, or has caught up with.
    func shown(_ catalog: Catalog) -> LiveShown {
        LiveShown(matcher, id, isCount: key.isCount, at: position, catalog)
    }

    /// Hands the request over to a matcher that stands at the same position.
    func adopt(into other: inout LiveMatcher) -> LiveRequestID { other.adopt(id, of: matcher) }
}
