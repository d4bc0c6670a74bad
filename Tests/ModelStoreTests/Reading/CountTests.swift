import ModelStore
import StoreEngine
import Testing

/// The requests that counting refuses, and the records that counting reads.
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

    private func counted(_ request: FetchRequest<Parcel>) throws -> FetchCounts {
        try parcels().read { try $0._reading.counted(request.request, typeIndex: 0) }
    }

    @Test func `an index of elements counts without the records`() throws {
        let rare = try counted(Parcel.where { $0.labels.contains("rare") })
        #expect(rare.returned == 10 && rare.fetched == 0 && rare.walked == [10])
        // A record that contains an element twice counts once.
        let all = try counted(Parcel.where { $0.labels.contains("all") })
        #expect(all.returned == 1_000 && all.fetched == 0)
        let either = try counted(Parcel.where { $0.labels.contains("rare") || $0.id == 1 })
        #expect(either.returned == 11 && either.fetched == 0)
        let twice = try counted(Parcel.where { $0.labels.contains("rare") && $0.labels.contains("rare") })
        #expect(twice.returned == 10 && twice.fetched == 0)
    }

    @Test func `what an index of elements does not say is tested on the records`() throws {
        let both = try counted(Parcel.where { $0.labels.contains("rare") && $0.labels.contains("third") })
        #expect(both.returned == 4 && both.fetched == 10)
        let reversed = try counted(Parcel.where { $0.labels.contains("third") && $0.labels.contains("rare") })
        #expect(reversed.returned == 4)
        let more = try counted(Parcel.where { $0.labels.contains("rare") && $0.names.isEmpty })
        #expect(more.returned == 10 && more.fetched == 10)
        let long = String(repeating: "long", count: 200)
        let none = try counted(Parcel.where { $0.labels.contains(long) })
        #expect(none.returned == 0)
    }

    @Test func `pages behind an element are walked in its entries`() throws {
        let store = try parcels()
        let request = Parcel.where { $0.labels.contains("rare") }.order { $0.id.ascending }.limit(4)
        try store.read { tx throws in
            var (ids, token): ([Int], PageToken?) = ([], nil)
            repeat {
                let next = token.map { request.after($0) } ?? request
                let page = try tx.page(next)
                ids += page.rows.map(\.id)
                #expect(try tx._reading.fetchDynamic(next.request, typeIndex: 0) { _ in true } == page.rows.count)
                token = page.next
            } while token != nil
            #expect(ids == Array(stride(from: 0, to: 1_000, by: 100)))
        }
    }
}
