/// Somebody who wants to know what the requests read that run in a scope: which types, and which of their fields.
package protocol ReadNoting: Sendable {
    /// Takes note of fields of a type.
    func note(_ read: LiveDependencies.OfType)
}

extension ReadContext {
    /// Notes what a request reads, where somebody wants to know.
    func note(_ request: Request, typeIndex: Int) throws(StoreError) {
        guard let reads = state.reads else { return }
        for read in try state.catalog.reads(of: request, typeIndex: typeIndex) { reads.note(read) }
    }

    /// Notes that records of a type are read as they are.
    func note(_ type: RecordType) { state.reads?.note(LiveDependencies.OfType(type: type.id, fieldIndexes: .all)) }

    /// The same for requests that are part of another one, which is noted itself.
    var unnoted: ReadContext {
        @_lifetime(copy self)
        get { state.reads == nil ? self : ReadContext(snapshot: snapshot, state: state.noting(nil)) }
    }
}
