import Foundation
import ModelStore
import TestSupport
import Testing

@Record struct Invoice: Equatable {
    @ID var id: Int
    var price: Decimal
    var discount: Decimal?
    var amount: Int = 1
    var weight: Double = 1
    var worked: Duration = .zero
    var paused: Duration?
}

/// Sums, averages and calculations of decimals, and sums and averages of durations.
@Suite struct DecimalTests {
    private static func decimal(_ text: String) throws -> Decimal {
        text == "nan" ? .nan : try #require(Decimal(string: text))
    }

    private func store(_ invoices: [Invoice]) throws -> Store {
        let store = try Store.temporary(records: Invoice.self)
        try store.write { tx in for invoice in invoices { try tx.insert(invoice) } }
        return store
    }

    private func prices(_ texts: String...) throws -> Store {
        try store(texts.enumerated().map { Invoice(id: $0.offset + 1, price: try Self.decimal($0.element)) })
    }

    private func ids(_ store: Store, _ condition: (Invoice.Fields) -> Condition<Invoice>) throws -> [Int] {
        try store.read { try $0.fetch(Invoice.where(condition).order { $0.id.ascending }).map(\.id) }
    }

    @Test func `decimals are added up without the errors of binary fractions`() throws {
        let store = try prices("0.1", "0.2", "12345678901234567890123456789.01")
        try store.read { tx throws in
            let all = FetchRequest(Invoice.self)
            #expect(try tx.sum(Invoice.where { $0.id < 3 }, \.price) == Self.decimal("0.3"))
            #expect(try tx.sum(all, \.price) == Self.decimal("12345678901234567890123456789.31"))
            #expect(try tx.average(Invoice.where { $0.id < 3 }, \.price) == Self.decimal("0.15"))
            #expect(try tx.sum(all, \.discount) == 0)
            #expect(try tx.average(all, \.discount) == nil)
            let groups = try tx.fetch(all.grouped(by: { $0.amount }) { ($0.price.sum, $0.price.average) })
            let (sum, mean) = try #require(groups.first?.values)
            #expect(groups.count == 1)
            #expect(sum == (try Self.decimal("12345678901234567890123456789.31")))
            #expect(mean == sum / 3)
        }
    }

    @Test func `a sum of decimals that is out of range is an error, and one with no number is none`() throws {
        let largest = Decimal.greatestFiniteMagnitude
        let store = try store([
            Invoice(id: 1, price: largest), Invoice(id: 2, price: largest), Invoice(id: 3, price: .nan),
        ])
        try store.read { tx throws in
            let failures = [
                #expect(throws: StoreError.self) { try tx.sum(Invoice.where { $0.id < 3 }, \.price) },
                #expect(throws: StoreError.self) { try tx.average(Invoice.where { $0.id < 3 }, \.price) },
            ]
            for failure in failures { #expect(failure?.code == .tooLarge) }
            #expect(try tx.sum(Invoice.where { $0.id > 1 }, \.price).isNaN)
        }
    }

    @Test func `durations are added up to the attosecond`() throws {
        let tiny = Duration(attoseconds: 1)
        let store = try store([
            Invoice(id: 1, price: 0, worked: .seconds(3600) + tiny, paused: .seconds(5)),
            Invoice(id: 2, price: 0, worked: .seconds(-600)),
            Invoice(id: 3, price: 0, worked: Duration(attoseconds: .max)),
        ])
        try store.read { tx throws in
            let request = Invoice.where { $0.id < 3 }
            #expect(try tx.sum(request, \.worked) == .seconds(3000) + tiny)
            #expect(try tx.average(request, \.worked) == .seconds(1500))
            #expect(try tx.sum(request, \.paused) == .seconds(5))
            #expect(try tx.average(request, \.paused) == .seconds(5))
            #expect(try tx.average(Invoice.where { $0.id == 2 }, \.paused) == nil)
            let failure = #expect(throws: StoreError.self) { try tx.sum(FetchRequest<Invoice>(), \.worked) }
            #expect(failure?.code == .tooLarge)
        }
    }

    @Test func `decimals are calculated with as decimals, also with values that are written with a point`() throws {
        let store = try prices("0.1", "3", "-7.5", "nan")
        #expect(try ids(store) { $0.price * 3 == 0.3 } == [1])
        #expect(try ids(store) { $0.price + 0.2 == 0.3 } == [1])
        #expect(try ids(store) { $0.price * $0.amount + $0.price == 6 } == [2])
        #expect(try ids(store) { $0.price / 3 == 1 } == [2])
        #expect(try ids(store) { 1 - $0.price > 1 } == [3])
        #expect(try ids(store) { $0.price % 2 == -1.5 } == [3])
        // A calculation with nil, out of range or with a division by zero has no result.
        #expect(try ids(store) { $0.price + $0.discount > -100 } == [])
        #expect(try ids(store) { $0.price * Decimal.greatestFiniteMagnitude * 10 > 0 } == [1])
        #expect(try ids(store) { $0.price / 0 != 1 } == [1, 2, 3, 4])
        #expect(try ids(store) { $0.price % 0 >= 0 } == [])
        // A floating-point field makes the whole calculation floating-point.
        #expect(try ids(store) { $0.price * $0.weight + 0.2 == 0.1 + 0.2 } == [1])
        #expect(try ids(store) { $0.price * $0.weight + 0.2 == 0.3 } == [])
        #expect(try ids(store) { $0.price * Double.infinity > 0 } == [1, 2, 4])
    }

    @Test func `what is no number stays so in calculations, and is another thing than nothing`() throws {
        let store = try store([
            Invoice(id: 1, price: 1, discount: nil), Invoice(id: 2, price: 1, discount: 3),
            Invoice(id: 3, price: 1, discount: .nan),
        ])
        let noNumber = Decimal.nan
        #expect(try ids(store) { $0.discount + 0 == noNumber } == [3])
        #expect(try ids(store) { $0.discount + 0 != noNumber } == [1, 2])
        #expect(try ids(store) { $0.discount + $0.price < 0 } == [3])
        #expect(try ids(store) { $0.discount * 2 <= noNumber } == [3])
        #expect(try ids(store) { $0.discount / 0 == noNumber } == [3])
        #expect(try ids(store) { $0.discount % 2 != 1 } == [1, 3])
    }

    @Test func `predicates calculate with decimals`() throws {
        let store = try prices("0.1", "3", "-7.5")
        let limit = try Self.decimal("0.3")
        let request = try FetchRequest(#Predicate<Invoice> { $0.price * 3 > limit })
        #expect(try store.read { try $0.fetch(request).map(\.id) } == [2])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `calculations give what Decimal gives`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        func number() throws -> Decimal {
            let digits = Int.random(in: 0...12, using: &random)
            let text = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            let sign = Bool.random(using: &random) ? "-" : ""
            return try Self.decimal("\(sign)\(Int.random(in: 0...999, using: &random)).\(text)0")
        }
        let invoices = try (0..<8).map { id in
            Invoice(
                id: id, price: try number(), discount: Bool.random(using: &random) ? try number() : nil,
                amount: Int.random(in: -9...9, using: &random))
        }
        let (store, limit) = (try store(invoices), try number())
        func expected(_ holds: (Invoice) -> Bool) -> [Int] { invoices.filter(holds).map(\.id) }
        #expect(
            try ids(store) { $0.price * $0.amount - limit >= $0.price }
                == expected { $0.price * Decimal($0.amount) - limit >= $0.price })
        #expect(
            try ids(store) { ($0.price + $0.discount) * 2 < limit }
                == expected { invoice in invoice.discount.map { (invoice.price + $0) * 2 < limit } ?? false })
        #expect(
            try ids(store) { $0.price / $0.amount > limit }
                == expected { $0.amount != 0 && $0.price / Decimal($0.amount) > limit })
        // The definition of the remainder: added to the truncated quotient times the divisor, it gives the dividend.
        try store.read { tx throws in
            for invoice in invoices where invoice.amount != 0 {
                let (dividend, divisor) = (invoice.price, Decimal(invoice.amount))
                var (quotient, whole) = ((dividend / divisor).magnitude, Decimal())
                unsafe NSDecimalRound(&whole, &quotient, 0, .down)
                if (dividend < 0) != (divisor < 0) { whole.negate() }
                let rest = dividend - whole * divisor
                #expect(try tx.exists(Invoice.where { $0.id == invoice.id && $0.price % $0.amount == rest }))
            }
        }
    }
}
