import Synchronization

/// What the requests of a closure read: which types, and which of their fields.
package final class NotedReads: Sendable {
    private let places = Mutex<[UInt32: PlaceSet]>([:])

    package init() {}

    /// What was noted so far, apart from what is in `known`; ascending by the types' numbers.
    package func all(besides known: [LiveDependencies.OfType]) -> [LiveDependencies.OfType] {
        places.withLock { places in places.map { LiveDependencies.OfType(type: $0, places: $1) } }
            .filter { !known.contains($0) }.sorted { $0.type < $1.type }
    }

    fileprivate func note(_ read: LiveDependencies.OfType) {
        places.withLock { $0[read.type, default: PlaceSet()].formUnion(read.places) }
    }
}

extension ReadingScope {
    /// Notes what a request reads, where somebody wants to know.
    func note(_ request: Request, typeIndex: Int) throws(StoreError) {
        guard let reads = state.reads else { return }
        for read in try state.catalog.reads(of: request, typeIndex: typeIndex) { reads.note(read) }
    }

    /// Notes that records of a type are read as they are.
    func note(_ type: RecordType) { state.reads?.note(LiveDependencies.OfType(type: type.id, places: .all)) }

    /// The same for requests that are part of another one, which is noted itself.
    var unnoted: ReadingScope {
        @_lifetime(copy self)
        get { state.reads == nil ? self : ReadingScope(snapshot: snapshot, state: state.noting(nil)) }
    }
}
