import ModelStore
import Testing

/// Enums that name no protocol of the store: plain, comparable, and `Codable`.
enum FanMode: String, Codable { case eco, boost }
enum FanLevel: Int { case low, high }

@Embedded struct FanBox: Equatable { var mode: FanMode? }

@Record struct Fan: Equatable {
    @ID var id: Int
    var mode: FanMode?
    @Indexed var indexed: FanMode?
    var preset: FanMode? = .eco
    var level: FanLevel?
    var box: FanBox = FanBox(mode: nil)
    @Reference(onDelete: .none) var twin: Reference<Fan>?
}

/// Optional enums as rows, keys and headers. Each is read through its token, which decodes the stored value.
@Suite struct OptionalEnumTests {
    private static let fans = [
        Fan(id: 1, mode: .eco, indexed: .boost, preset: nil, level: .low, box: FanBox(mode: .boost), twin: 2),
        Fan(id: 2, mode: nil, indexed: nil, preset: .boost, level: nil, twin: 1),
        Fan(id: 3, mode: .boost, indexed: .boost, level: .high, box: FanBox(mode: .eco), twin: 1),
    ]

    private func read<T: Sendable>(_ body: (borrowing ReadTransaction) throws -> T) throws -> T {
        let store = try Store.temporary(records: Fan.self)
        try store.write { tx in for fan in Self.fans { try tx.insert(fan) } }
        return try store.read { try body($0) }
    }

    @Test func `rows of fields hold them`() throws {
        try read { (tx) throws in
            let all = Fan.order { $0.id.ascending }
            #expect(try tx.fetch(all.fields { $0.mode }) == Self.fans.map(\.mode))
            #expect(try tx.fetch(all.fields { $0.indexed }) == Self.fans.map(\.indexed))
            #expect(try tx.fetch(all.fields { $0.preset }) == Self.fans.map(\.preset))
            #expect(try tx.fetch(all.fields { $0.level }) == Self.fans.map(\.level))
            #expect(try tx.fetch(all.fields { $0.box.mode }) == Self.fans.map(\.box.mode))
            #expect(try tx.fetch(all.fields { $0.twin.mode }) == [nil, .eco, .eco])
            #expect(try tx.fetch(all.fields { ($0.id, $0.mode) }).map(\.1) == Self.fans.map(\.mode))
            #expect(Set(try tx.fetch(all.fields { $0.indexed }.distinct())) == [.boost, nil])
        }
    }

    @Test func `lazy rows, groups and sections have them`() throws {
        try read { (tx) throws in
            let all = Fan.order { $0.id.ascending }
            var modes: [FanMode?] = []
            try tx.forEach(all.lazily()) { row throws in
                modes.append(try row.mode)
                return true
            }
            #expect(modes == Self.fans.map(\.mode))
            #expect(try tx.fetch(all.grouped(by: { $0.indexed })).map(\.key) == [nil, .boost])
            #expect(try tx.fetch(all.sections(by: { $0.mode })).map(\.key) == [nil, .boost, .eco])
        }
    }

    @Test func `conditions compare them with cases, lists of them, and nil`() throws {
        try read { (tx) throws in
            #expect(try tx.count(Fan.where { $0.mode == .eco }) == 1)
            #expect(try tx.count(Fan.where { $0.mode != .eco }) == 2)
            #expect(try tx.count(Fan.where { $0.level == nil }) == 1)
            #expect(try tx.count(Fan.where { $0.level.in([.low, .high]) }) == 2)
            #expect(try tx.count(Fan.where { $0.mode.in([.boost]) && $0.box.mode != nil }) == 1)
        }
    }
}
