import ModelStore
import Testing

@Record struct Topic: Equatable {
    @ID var id: Int
}

@Record struct Essay: Equatable {
    @ID var id: Int
    @Reference(onDelete: .nullify) var topics: Set<Reference<Topic>> = []
    @Reference(onDelete: .nullify) var sources: [Reference<Topic>]?
    @Reference(onDelete: .nullify) var rivals: Set<Reference<Topic>>?
}

/// Records fetched together with the records that they refer to through sets and optionals.
@Suite struct PrefetchedSetTests {
    private static let essays = (0..<12).map { id in
        let topics = (0..<id % 4).map { Reference<Topic>(($0 * 7 + id) % 20) }
        return Essay(
            id: id, topics: Set(topics), sources: id % 3 == 0 ? nil : topics.reversed(),
            rivals: id % 5 == 0 ? nil : Set(topics))
    }

    private let store: Store
    private let all = FetchRequest(Essay.self).order { $0.id.ascending }

    init() throws {
        store = try Store.temporary(records: Topic.self, Essay.self)
        try store.write { tx in
            for id in 0..<20 { try tx.insert(Topic(id: id)) }
            for essay in Self.essays { try tx.insert(essay) }
        }
    }

    @Test func `records come with those that sets and optional collections refer to`() throws {
        try store.read { tx in
            let topics = try tx.fetch(all, with: \.topics)
            #expect(topics.map(\.0) == Self.essays)
            #expect(topics.map { $0.1.map(\.id) } == Self.essays.map { $0.topics.map(\.id).sorted() })
            let sources = try tx.fetch(all, with: \.sources)
            #expect(sources.map { $0.1.map(\.id) } == Self.essays.map { ($0.sources ?? []).map(\.id) })
            let rivals = try tx.fetch(all, with: \.rivals)
            #expect(rivals.map { $0.1.map(\.id) } == Self.essays.map { ($0.rivals ?? []).map(\.id).sorted() })
        }
    }

    @Test func `inverses of optional collections find those that refer`() throws {
        let bySource = Inverse<Topic, Essay>(\.sources)
        let byRival = Inverse<Topic, Essay>(\.rivals)
        try store.read { tx in
            for id in 0..<20 {
                let (sources, rivals) = (try tx.fetch(bySource, of: id), try tx.fetch(byRival, of: id))
                #expect(sources == Self.essays.filter { $0.sources?.contains(Reference(id)) ?? false })
                #expect(rivals == Self.essays.filter { $0.rivals?.contains(Reference(id)) ?? false })
            }
            for (topic, essays) in try tx.fetch(FetchRequest(Topic.self), with: bySource) {
                #expect(essays == Self.essays.filter { $0.sources?.contains(Reference(topic.id)) ?? false })
            }
        }
    }
}
