import ModelStore
import Testing

@Embedded struct Lane: Hashable {
    var name: String
    var number: Int?
}

@Embedded struct Quarter: Hashable {
    var zip: String
    var lane: Lane
    var back: Lane?
}

@Embedded struct Plot: Hashable {
    var label: String
    var quarter: Quarter
    var former: Quarter?
}

@Record struct Campus: Equatable {
    @ID var id: Int
    var site: Plot
    var spare: Plot?
    var tail: String = "tail"
}

/// Fields of nested structs, decoded without the rest of the record.
@Suite struct NestedFieldTests {
    private static func lane(_ name: String) -> Lane { Lane(name: "lane \(name)", number: name.utf8.count % 2) }

    /// Returns a quarter; some have optional values and some do not.
    private static func quarter(_ name: String, _ id: Int) -> Quarter {
        Quarter(
            zip: "zip \(name)", lane: Lane(name: "lane \(name)", number: id % 2 == 0 ? nil : id),
            back: id % 3 == 0 ? nil : lane("back \(name)"))
    }

    private static func site(_ name: String, _ id: Int) -> Plot {
        Plot(
            label: "label \(name)", quarter: quarter("\(name)q", id),
            former: id % 5 == 0 ? nil : quarter("\(name)f", id / 2))
    }

    private static let campuses = (0..<24).map { id in
        Campus(id: id, site: site("a", id), spare: id % 4 == 0 ? nil : site("b", id / 3))
    }

    private let store: Store
    private let all = FetchRequest(Campus.self).order { $0.id.ascending }

    init() throws {
        store = try Store.temporary(records: Campus.self)
        try store.write { tx in for campus in Self.campuses { try tx.insert(campus) } }
    }

    /// Reads a field in every way that decodes only this field.
    private func check<V: Hashable & Sendable>(
        _ field: @escaping (Campus.Fields) -> Field<Campus, V>, _ value: (Campus) -> V,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = Self.campuses.map(value)
        try store.read { tx in
            let alone = try tx.fetch(all.fields(field))
            #expect(alone == expected, sourceLocation: location)
            let pairs = try tx.fetch(all.fields { (field($0), $0.tail) })
            #expect(pairs.map(\.0) == expected, sourceLocation: location)
            let made = try tx.fetch(all.fields({ (id: Int, value: V) in "\(id) \(value)" }) { ($0.id, field($0)) })
            #expect(made == zip(Self.campuses, expected).map { "\($0.id) \($1)" }, sourceLocation: location)
            var lazily: [V] = []
            try tx.forEach(all.lazily()) { row in
                lazily.append(try row.value(field))
                return true
            }
            #expect(lazily == expected, sourceLocation: location)
            let groups = try tx.fetch(all.grouped(by: field))
            #expect(Set(groups.map(\.key)) == Set(expected), sourceLocation: location)
            for group in groups {
                #expect(group.count == expected.count { $0 == group.key }, sourceLocation: location)
            }
            for section in try tx.fetch(FetchRequest(Campus.self).sections(by: field)) {
                #expect(section.records.allSatisfy { value($0) == section.key }, sourceLocation: location)
            }
        }
        let live = try store.liveQuery(all).lazyResults.map { try $0.value(field) }
        #expect(live == expected, sourceLocation: location)
    }

    @Test func `fields one struct deep are decoded alone`() throws {
        try check({ $0.site.label }, { $0.site.label })
        try check({ $0.spare.label }, { $0.spare?.label })
    }

    @Test func `fields two structs deep are decoded alone, with an optional at each level`() throws {
        try check({ $0.site.quarter.zip }, { $0.site.quarter.zip })
        try check({ $0.site.former.zip }, { $0.site.former?.zip })
        try check({ $0.spare.quarter.zip }, { $0.spare?.quarter.zip })
        try check({ $0.spare.former.zip }, { $0.spare?.former?.zip })
    }

    @Test func `fields three structs deep are decoded alone, with an optional at each level`() throws {
        try check({ $0.site.quarter.lane.name }, { $0.site.quarter.lane.name })
        try check({ $0.site.quarter.lane.number }, { $0.site.quarter.lane.number })
        try check({ $0.site.quarter.back.name }, { $0.site.quarter.back?.name })
        try check({ $0.site.quarter.back.number }, { $0.site.quarter.back?.number })
        try check({ $0.site.former.lane.name }, { $0.site.former?.lane.name })
        try check({ $0.site.former.lane.number }, { $0.site.former?.lane.number })
        try check({ $0.site.former.back.number }, { $0.site.former?.back?.number })
        try check({ $0.spare.quarter.lane.name }, { $0.spare?.quarter.lane.name })
        try check({ $0.spare.quarter.lane.number }, { $0.spare?.quarter.lane.number })
        try check({ $0.spare.quarter.back.name }, { $0.spare?.quarter.back?.name })
        try check({ $0.spare.former.lane.name }, { $0.spare?.former?.lane.name })
        try check({ $0.spare.former.back.name }, { $0.spare?.former?.back?.name })
        try check({ $0.spare.former.back.number }, { $0.spare?.former?.back?.number })
    }

    @Test func `key paths of several steps name the same fields`() throws {
        try check({ $0.site[dynamicMember: \.quarter.back.number] }, { $0.site.quarter.back?.number })
        try check({ $0.spare[dynamicMember: \.quarter.lane.name] }, { $0.spare?.quarter.lane.name })
        try check({ $0.spare[dynamicMember: \.quarter.lane].name }, { $0.spare?.quarter.lane.name })
        try check({ $0.spare[dynamicMember: \.former.lane].number }, { $0.spare?.former?.lane.number })
        let label = all.fields { $0.site[dynamicMember: \.former].zip }
        #expect(try store.read { try $0.fetch(label) } == Self.campuses.map { $0.site.former?.zip })
    }
}
