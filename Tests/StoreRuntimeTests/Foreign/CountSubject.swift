import StoreEngine
import StoreRuntime
import TestSupport

/// Follows the number of matching records, whether there are any, and a value computed from them.
final class CountSubject<R: Record>: ForeignSubject {
    private let request: FetchRequest<R>
    private let compute: @Sendable (borrowing ReadView, FetchRequest<R>) throws -> [String]
    private var counts: Followed<Int>
    private var existence: Followed<Bool>
    private var values: Followed<[String]>

    /// A sequence of values, and the last value received from it.
    private struct Followed<Value: Equatable & Sendable> {
        private var iterator: LiveValues<Value>.Iterator
        private var last: Value?

        init(_ values: LiveValues<Value>) { iterator = values.makeAsyncIterator() }

        mutating func follow(to expected: Value, _ what: String) async throws {
            let given = try await last == expected ? iterator.poll() : iterator.next()
            if last == expected {
                if let given { throw Mismatch("\(given.value) is told twice: \(what)") }
            } else if given?.value != expected {
                throw Mismatch("\(given.map { "\($0.value)" } ?? "nothing") is told, not \(expected): \(what)")
            }
            last = expected
        }
    }

    /// - Parameter compute: Computes a value from the records that match a request.
    init(
        _ request: FetchRequest<R>, in store: Store,
        _ compute: @escaping @Sendable (borrowing ReadView, FetchRequest<R>) throws -> [String]
    ) throws {
        self.request = try request.ordered(in: store)
        self.compute = compute
        counts = Followed(store.counts(of: self.request))
        existence = Followed(store.existence(of: self.request))
        values = Followed(store.values(of: self.request, compute))
    }

    // These values arrive only through sequences, so there is nothing to compare here.
    func look(in view: borrowing ReadView) throws {}

    func follow(in store: Store) async throws {
        let (count, made) = try store.view { view in (try view.count(request), try compute(view, request)) }
        try await counts.follow(to: count, "\(request.request)")
        try await existence.follow(to: count > 0, "\(request.request)")
        try await values.follow(to: made, "\(request.request)")
    }
}
