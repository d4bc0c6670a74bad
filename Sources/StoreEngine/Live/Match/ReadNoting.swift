/// Receives the types and fields that the requests in a scope read.
package protocol ReadNoting: Sendable {
    /// Notes that fields of a type are read.
    func note(_ read: LiveDependencies.OfType)
}

extension ReadContext {
    /// Reports the types and fields that a request reads, where the scope has a receiver for them.
    func note(_ request: Request, typeIndex: Int) throws(StoreError) {
        guard let reads = state.reads else { return }
        for read in try state.catalog.reads(of: request, typeIndex: typeIndex) { reads.note(read) }
    }

    /// Reports that records of a type are read in full.
    func note(_ type: RecordType) { state.reads?.note(LiveDependencies.OfType(type: type.id, fieldIndexes: .all)) }

    /// The same context without reports, for requests that are part of a request that has been reported.
    var unnoted: ReadContext {
        @_lifetime(copy self)
        get { state.reads == nil ? self : ReadContext(snapshot: snapshot, state: state.noting(nil)) }
    }
}
