import ModelStore
import StoreEngine
import Testing

/// What counting refuses, and what it reads.
@Suite struct CountTests {
    private func parcels() throws -> Store {
        let store = try Store.temporary(records: Parcel.self)
        try store.write { tx in
            for id in 0..<1_000 {
                let labels = ["all", id % 100 == 0 ? "rare" : "common", id % 3 == 0 ? "third" : "other"]
                try tx.insert(Parcel(id: id, labels: labels + (id % 7 == 0 ? ["all"] : []), names: []))
            }
        }
        return store
    }

    @Test func `a limit or an offset that is negative is refused, with a condition and without`() throws {
        let store = try parcels()
        let all = FetchRequest(Parcel.self)
        let wrong = [all.limit(-1), all.offset(-1), all.offset(.min), all.limit(.min).offset(3)]
        try store.read { tx throws in
            for request in wrong + wrong.map({ $0.where { $0.names.isEmpty } }) {
                let counting = #expect(throws: StoreError.self) { try tx.count(request) }
                #expect(counting?.code == .invalidValue)
                let looking = #expect(throws: StoreError.self) { try tx.exists(request) }
                #expect(looking?.code == .invalidValue)
            }
            #expect(try tx.count(all.offset(.max)) == 0)
            #expect(try tx.count(all.limit(.max).offset(10)) == 990)
        }
    }

    @Test func `an order that is none is refused`() throws {
        let store = try parcels()
        try store.read { tx throws in
            for (name, code) in [("nothing", StoreError.Code.unknownField), ("names", .invalidValue)] {
                var request = Request()
                request.order = [SortTerm(FieldName(name))]
                let plain = #expect(throws: StoreError.self) { try tx._reading.count(request, typeIndex: 0) }
                #expect(plain?.code == code)
                request.condition = .size(FieldName("names"), .equal, 0)
                let tested = #expect(throws: StoreError.self) { try tx._reading.count(request, typeIndex: 0) }
                #expect(tested?.code == code)
            }
        }
    }
}
