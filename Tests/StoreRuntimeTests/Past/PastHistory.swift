import Foundation
import StoreEngine
import StoreRuntime
import TestSupport

/// A store with a random history, and a naive copy of its content after each commit.
final class PastHistory {
    /// The content of the store at a position.
    struct Moment {
        let position: Position
        /// The records of each type, in the order of the catalog's types.
        let records: [[Stored]]
        let contentHash: UInt64

        /// Returns the records of a type, in id order.
        func records(_ type: RecordType, at typeIndex: Int) -> [DynamicRecord] {
            if typeIndex >= records.count { return [] }
            return NaiveQuery(type: type, request: Request()).byID(records[typeIndex].map(\.record))
        }
    }

    /// A record with its key.
    struct Stored {
        let key: [UInt8]
        let record: DynamicRecord
        let incarnation: UInt64
    }

    let folder: StoreFolder
    private(set) var store: Store
    private(set) var moments: [Moment] = []
    /// Whether the ids of slots are so long that their keys are truncated.
    private let hasLongIDs: Bool
    private var generator: RequestGenerator

    init(seed: UInt64, options: StoreOptions = StoreOptions()) throws {
        generator = RequestGenerator(random: TestRandom(seed: seed))
        hasLongIDs = seed % 3 == 0
        var options = options
        options.durability = .relaxed
        folder = try StoreFolder()
        store = try Store(at: folder.path, records: Sensor.self, Slot.self, options: options)
        try remember()
    }

    /// The generator, for further random choices.
    var random: RequestGenerator {
        get { generator }
        set { generator = newValue }
    }

    /// Commits random changes.
    func write(commits: Int) throws {
        for _ in 0..<commits {
            let operations = (0..<generator.pick([0, 1, 2, 3, 12])).map { _ in operation() }
            try store.write { tx in
                for operation in operations { try? operation(&tx) }
            }
            try remember()
        }
    }

    /// Adds the ticket type. Later writes include tickets.
    func addTickets() throws {
        var options = StoreOptions()
        options.durability = .relaxed
        let wider = try Store(at: folder.path, records: Sensor.self, Slot.self, Ticket.self, options: options)
        store.close()
        store = wider
        hasTickets = true
        try remember()
    }

    private var hasTickets = false

    private typealias Operation = @Sendable (inout WriteTransaction) throws -> Void

    private func operation() -> Operation {
        let id = "\(generator.pick(["", "a", "b"]))\(generator.pick([0, 1, 2, 3, 4]))"
        let hour = Int16(generator.pick([-1, 0, 1, 2]))
        let room = generator.pick(["a", "a\u{0}", "b", String(repeating: "日本", count: hasLongIDs ? 60 : 30)])
        switch generator.pick([0, 0, 0, 1, 2, 3, 3, 4, 5, 6, 7]) {
        case 0:
            let sensor = Sensor(
                id: id, room: generator.pick(RequestGenerator.texts),
                serial: generator.pick(RequestGenerator.texts), celsius: generator.pick(RequestGenerator.doubles),
                note: generator.optionalText(), floor: generator.pick(Floor.allCases))
            return { tx in try tx.upsert(sensor) }
        case 1: return { tx in try tx.delete(Sensor.self, id: id) }
        case 2:
            let celsius = generator.pick(RequestGenerator.doubles)
            return { tx in try tx.update(Sensor.self, id: id) { $0.celsius = celsius } }
        case 3:
            let slot = Slot(
                room: room, hour: hour, guest: generator.optionalText(),
                minutes: generator.chance(40) ? nil : UInt8(generator.pick([0, 1, 2, 30])))
            return { tx in try tx.upsert(slot) }
        case 4: return { tx in try tx.delete(Slot.self, id: Slot.ID(room: room, hour: hour)) }
        case 5 where hasTickets:
            let ticket = Ticket(
                code: generator.optionalText(), owner: generator.pick(["ann", "bob"]), rank: Int32(hour),
                tags: generator.pick([[], ["a"], ["a", "b"]]))
            return { tx in try tx.insert(ticket) }
        case 6 where hasTickets:
            let number = generator.pick([1, 2, 3])
            return { tx in try tx.delete(Ticket.self, id: number) }
        default:
            // Moves a unique value from one record to another within one change set.
            let serial = generator.pick(RequestGenerator.texts)
            return { tx in
                try tx.delete(Sensor.self, id: id)
                try tx.insert(Sensor(id: id + "x", room: "moved", serial: serial))
            }
        }
    }

    private func remember() throws {
        moments.append(
            try store.read { tx in
                let scope = tx._reading
                let records = try scope.catalog.types.indices.map { try Self.stored(scope, typeIndex: $0) }
                return Moment(
                    position: try scope.feedPosition(), records: records, contentHash: try scope.contentHash())
            })
    }

    /// Returns all stored records of a type, in stored order.
    static func stored(_ scope: ReadContext, typeIndex: Int) throws -> [Stored] {
        let type = scope.catalog.types[typeIndex]
        var stored: [Stored] = []
        for entry in try scope.snapshot.entries(of: type.database) {
            let bytes = entry.value
            stored.append(
                Stored(
                    key: entry.key, record: unsafe try DynamicRecord(bytes.span.bytes, of: type),
                    incarnation: unsafe try RecordBytes(bytes.span.bytes).incarnation))
        }
        return stored
    }
}
