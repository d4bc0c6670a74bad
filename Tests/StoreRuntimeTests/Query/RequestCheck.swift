import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Answers a random request by every possible path, and compares the results with an evaluation of each record.
struct RequestCheck {
    /// The description of the run, for failure messages.
    let place: String

    /// Runs random requests over the current records of a store.
    ///
    /// - Parameter place: The description in failure messages, before the request's number.
    static func run(
        _ count: Int, place: String, _ store: Store, _ typeIndex: Int, _ generator: inout RequestGenerator
    ) throws {
        try store.read { tx in
            var all: [DynamicRecord] = []
            try tx._reading.forEachDynamic(typeIndex: typeIndex) {
                all.append($0)
                return true
            }
            let type = tx._reading.catalog.types[typeIndex].type
            let ordered = NaiveQuery(type: type, request: Request()).byID(all)
            for number in 0..<count {
                try RequestCheck(place: "\(place), request \(number)").run(tx, typeIndex, &generator, ordered)
            }
        }
    }

    /// Runs one random request.
    ///
    /// - Parameter all: The stored records, in id order.
    func run(
        _ tx: borrowing ReadTransaction, _ typeIndex: Int, _ generator: inout RequestGenerator, _ all: [DynamicRecord]
    ) throws {
        let type = tx._reading.catalog.types[typeIndex].type
        var request = generator.request(type)
        var last: Int?
        if generator.chance(25), let place = all.indices.randomElement(using: &generator.random) {
            last = place
            request.position = NaiveQuery(type: type, request: request).position(all[place])
        }
        let expected = NaiveQuery(type: type, request: request, last: last).run(all).map(BitwiseRecord.init)
        let matching = matching(request, type, last, all)
        // Sometimes the limit is so small that the store walks all records instead of gathering keys.
        let keyByteLimit = generator.pick([1 << 20, 1 << 20, 200])
        for path in [nil] + (try tx._reading.paths(request, typeIndex: typeIndex)).map(Optional.init) {
            var found: [BitwiseRecord] = []
            try tx._reading.fetchDynamic(request, typeIndex: typeIndex, by: path, keyByteLimit: keyByteLimit) {
                found.append(BitwiseRecord($0))
                return true
            }
            let isRight =
                matching.map { found.count == expected.count && Set(found).isSubset(of: $0) } ?? (found == expected)
            if !isRight {
                let explanation = try tx._reading.explain(request, typeIndex: typeIndex, by: path)
                Issue.record("\(place), by \(String(describing: path)): \(request)\n\(explanation)")
            }
        }
        // Without an order, any of several equal rows may be returned.
        if generator.chance(30), !request.isDistinct || !request.order.isEmpty {
            let naive = NaiveQuery(type: type, request: request, last: last)
            try checkFields(tx._reading, typeIndex, naive, all, &generator)
        }
        let count = try tx._reading.count(request, typeIndex: typeIndex)
        if count != expected.count { Issue.record("\(place): counted \(count), not \(expected.count): \(request)") }
        if request.isDistinct || generator.chance(80) { return }
        request.limit = generator.pick([1, 2, 3, 7, 60])
        let pages = try Self.pages(request, tx._reading, typeIndex).map(BitwiseRecord.init)
        var whole = request
        whole.limit = nil
        let rows = NaiveQuery(type: type, request: whole, last: last).run(all).map(BitwiseRecord.init)
        try requireSame(pages, rows, "\(place): the pages of \(request)")
    }

    /// Returns the records of which a request without an order may return any; nil if the request has an order.
    private func matching(
        _ request: Request, _ type: RecordType, _ last: Int?, _ all: [DynamicRecord]
    ) -> Set<BitwiseRecord>? {
        guard request.order.isEmpty else { return nil }
        var unlimited = request
        (unlimited.limit, unlimited.offset, unlimited.isDistinct) = (nil, 0, false)
        return Set(NaiveQuery(type: type, request: unlimited, last: last).run(all).map(BitwiseRecord.init))
    }

    /// Returns all pages of a request, concatenated.
    static func pages(
        _ request: Request, _ reading: ReadContext, _ typeIndex: Int
    ) throws -> [DynamicRecord] {
        var request = request
        var rows: [DynamicRecord] = []
        while true {
            let page = try reading.dynamicPage(request, typeIndex: typeIndex)
            #expect(page.next == nil || page.rows.count == request.limit)
            rows += page.rows
            guard let next = page.next else { return rows }
            let token = try #require(PageToken(next.description))
            #expect(token == next)
            request.goOn(.token(token))
        }
    }

    /// Checks a request for some fields only, which an index may answer without reading records.
    private func checkFields(
        _ reading: ReadContext, _ typeIndex: Int, _ naive: NaiveQuery, _ all: [DynamicRecord],
        _ generator: inout RequestGenerator
    ) throws {
        let type = reading.catalog.types[typeIndex].type
        let index = generator.pick(type.indexes.map { $0.fields.compactMap(type.fieldIndex(ofID:)) })
        let places = generator.chance(70) ? Array(index.reversed()) : Array(type.fields.indices)
        var ordered = naive.request
        let request = ordered
        // Without an order the expected rows are unknown, so the request then asks for all of them.
        if ordered.order.isEmpty { ordered.limit = nil }
        if ordered.order.isEmpty { ordered.offset = 0 }
        let expected = NaiveQuery(type: type, request: ordered, last: naive.last).run(all).map { record in
            "\(places.map { record.values[$0] })"
        }
        for path in [nil] + (try reading.paths(request, typeIndex: typeIndex)).map(Optional.init) {
            var found: [String] = []
            try reading.fetchFields(ordered, fieldIndexes: places, typeIndex: typeIndex, by: path) {
                found.append("\($0)")
                return true
            }
            let isRight = ordered.order.isEmpty ? found.sorted() == expected.sorted() : found == expected
            if !isRight { Issue.record("\(place), fields \(places) by \(String(describing: path)): \(request)") }
        }
    }
}
