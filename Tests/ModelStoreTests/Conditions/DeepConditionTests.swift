import Foundation
import ModelStore
import Testing

/// Conditions and calculations that a program builds in a loop.
@Suite struct DeepConditionTests {
    private static let count = 100_000

    /// Runs a request with the condition, and every other operation that walks the condition's tree.
    private func ids(_ condition: Condition<Depot>) throws -> [Int] {
        let store = try Store.temporary(records: Depot.self)
        try store.write { tx in
            for id in 1...3 { try tx.insert(Depot(id: id, used: 1, total: 2, small: 3, load: 4)) }
        }
        let request = Depot.where { _ in condition }.where { $0.id > 0 }.order { $0.id.ascending }
        #expect(request == request && Set([request]).count == 1)
        #expect(!"\(request)".isEmpty)
        return try store.read { tx in
            #expect(try !tx.explain(request).isEmpty)
            return try tx.fetch(request).map(\.id)
        }
    }

    private func expectTooDeep(_ condition: Condition<Depot>) {
        let error = #expect(throws: StoreError.self) { try ids(condition) }
        #expect(error?.code == .tooLarge && error?.message.contains("more than 500 levels deep") == true, "\(error!)")
    }

    @Test func `calculations that nest too deep are an error, whichever side they grow on`() {
        let fields = Depot.fields
        var (left, right) = (fields.used + 1, fields.used + 1)
        var both = fields.used + fields.total
        for _ in 0..<Self.count {
            left = left + 1
            right = 1 - right
            both = both * both
        }
        expectTooDeep(left > 5)
        expectTooDeep(fields.total == right)
        expectTooDeep(both != left)
    }

    @Test func `conditions that nest too deep are an error`() {
        let fields = Depot.fields
        var mixed = fields.id == 1
        var negated = fields.id == 1
        for _ in 0..<Self.count {
            mixed = (mixed && fields.used == 1) || fields.total == 7
            negated = !(negated && fields.used == 1)
        }
        expectTooDeep(mixed)
        expectTooDeep(negated)
        expectTooDeep(!mixed || fields.shelves.any { $0.floor == 1 })
    }

    @Test func `what nests up to the limit runs`() throws {
        let fields = Depot.fields
        var sum = fields.used + 1
        // Each level has one operator, the innermost level two.
        for _ in 0..<498 { sum = sum + 1 }
        #expect(try ids(sum == 500) == [1, 2, 3])
        expectTooDeep(sum + 1 == 501)
        var condition = fields.id == 1
        for _ in 0..<240 { condition = (condition && fields.used == 1) || fields.total == 7 }
        #expect(try ids(condition) == [1])
    }

    @Test func `a long chain of one operator is no deep condition`() throws {
        let fields = Depot.fields
        var (all, one) = (fields.id != 2, fields.id == 2)
        for number in 4..<20_000 {
            all = all && fields.id != number
            one = fields.id == number || one
        }
        #expect(try ids(all) == [1, 3])
        #expect(try ids(one) == [2])
        var request = Depot.where { $0.id != 2 }
        for number in 4..<20_000 { request = request.where { $0.id != number } }
        let store = try Store.temporary(records: Depot.self)
        try store.write { tx in
            for id in 1...3 { try tx.insert(Depot(id: id, used: 1, total: 2, small: 3, load: 4)) }
        }
        #expect(try store.read { try $0.count(request) } == 2)
    }
}
