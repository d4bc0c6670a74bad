import ArgumentParser
import Foundation
import LMDB
import ModelStoreReplication
import StoreEngine
import StoreRuntime

/// `stat`: shows the sizes of a store's parts.
struct Stat: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the format, sizes, use of pages and map, the feed's range, and the databases.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let (facts, consumers, databases) = try options.read { store in
            let info = try store.environmentInfo()
            let slots = try store.readers()
            let readers = ReaderList.others(slots).filter { !$0.isPin }
            let log = try store.redoLog(slots, info)
            let position = try store.position
            let consumers = try store.consumersByConditions()
            return try store.read { transaction in
                let reading = transaction._reading
                let databases = try DatabaseFacts.all(reading)
                let facts = try StoreFacts(
                    info: info, readers: readers, position: position, consumers: consumers, reading: reading)
                return (try facts.list + Self.logFacts(log) + Self.replicaFacts(store), consumers, databases)
            }
        }
        try options.printing { output in
            switch options.format {
            case .table:
                var table = TableWriter(
                    columns: [.init(title: "store"), .init(title: "value", isNumeric: false)],
                    width: TerminalSize.columns())
                for (name, cell) in facts { table.append([name, cell.text]) }
                try output.write(table.text + "\n")
                if !consumers.isEmpty {
                    var printer = try RowPrinter(.table, columns: ConsumerRow.columns, to: output)
                    for consumer in consumers { try printer.append(ConsumerRow.cells(consumer)) }
                    try printer.finish()
                    try output.write("\n")
                }
                try print(databases, .table, to: output)
            case .json, .jsonl:
                let object = JSONValue.object(
                    facts.map { JSONMember($0.name, $0.cell.json) }
                        + [
                            JSONMember("consumers", .array(consumers.map(ConsumerRow.object))),
                            JSONMember("databases", .array(databases.map(\.object))),
                        ])
                let layout: JSONWriter.Layout = options.format == .json ? .pretty : .compact
                try output.write(JSONWriter.text(of: object, layout: layout) + "\n")
            case .csv: try print(databases, .csv, to: output)
            }
        }
    }

    /// The redo log; empty for a store without one.
    private static func logFacts(_ log: RedoLogUsage?) -> [(name: String, cell: OutputCell)] {
        guard let log else { return [] }
        return [
            ("redoLogBytes", OutputCell(log.byteCount)),
            ("checkpointBehind", OutputCell(log.checkpointAge)),
            ("checkpointTime", OutputCell(log.checkpointTime.iso8601)),
            ("pinBehind", OutputCell(log.pinAge)),
            ("pinBytes", OutputCell(log.pinByteCount)),
        ]
    }

    /// The place of a replica in its log; empty for a store without replicas.
    private static func replicaFacts(_ store: Store) throws -> [(name: String, cell: OutputCell)] {
        guard let applied = try store.logPosition else { return [] }
        return [("logGeneration", .count(applied.generation)), ("logApplied", .count(applied.index))]
    }

    private func print(_ databases: [DatabaseFacts], _ format: OutputFormat, to output: StandardOutput) throws {
        var printer = try RowPrinter(format, columns: DatabaseFacts.columns, to: output)
        for database in databases { try printer.append(database.cells) }
        try printer.finish()
    }
}

/// Facts about the store as a whole.
private struct StoreFacts {
    let list: [(name: String, cell: OutputCell)]

    init(
        info: LMDBInfo, readers: [LMDBReader], position: Position, consumers: [ConsumerInformation],
        reading: ReadContext
    ) throws {
        let head = try reading.feedHead()
        let pages = info.lastPage + 1
        let free = try reading.snapshot.freePageCount()
        let records = try reading.catalog.types.indices.reduce(0) { try $0 + reading.count(typeIndex: $1) }
        let oldest = readers.compactMap(\.transactionID).min()
        let heldPages = try oldest.map { try reading.snapshot.freePageCount(freedAfter: $0) }
        let isEmpty = head.oldest > head.sequence
        let trail = try reading.trailHead()
        func number(_ value: UInt64) -> OutputCell { OutputCell(.number(JSONNumber(value))) }
        let format = try StoreFormat.version(reading.state.databases, reading.snapshot)
        list = [
            ("format", OutputCell(Int(format))),
            ("fileBytes", OutputCell(info.fileBytes)),
            ("mapBytes", OutputCell(info.mapSize)),
            ("pageBytes", OutputCell(info.pageSize)),
            ("usedPages", OutputCell(pages - free)),
            ("freePages", OutputCell(free)),
            ("types", OutputCell(reading.catalog.types.count)),
            ("records", OutputCell(records)),
            ("transaction", OutputCell(info.lastTransactionID)),
            ("oldestPosition", isEmpty ? OutputCell(.null) : number(head.oldest)),
            ("position", number(head.sequence)),
            ("token", OutputCell(position.description)),
            ("feedBytes", OutputCell(try reading.snapshot.statistics(of: reading.state.databases.feed).byteCount)),
            ("trailRecords", trail.map { number($0.count) } ?? OutputCell(.null)),
            ("trailLimit", trail.map { number($0.limit) } ?? OutputCell(.null)),
            ("trailFloor", trail.map { number($0.floor) } ?? OutputCell(.null)),
            ("greatestLag", consumers.map(\.lag).max().map(number) ?? OutputCell(.null)),
            ("readers", OutputCell(readers.count)),
            ("oldestReaderBehind", oldest.map { OutputCell(max(info.lastTransactionID - $0, 0)) } ?? OutputCell(.null)),
            ("oldestReaderBytes", heldPages.map { OutputCell($0 * info.pageSize) } ?? OutputCell(.null)),
        ]
    }
}

/// Facts about one database of the store.
private struct DatabaseFacts {
    static let columns = [
        OutputColumn("database"), OutputColumn("holds"), OutputColumn("entries", isNumeric: true),
        OutputColumn("depth", isNumeric: true), OutputColumn("pages", isNumeric: true),
        OutputColumn("bytes", isNumeric: true),
    ]

    let cells: [OutputCell]

    var object: JSONValue { .object(zip(Self.columns, cells).map { JSONMember($0.name, $1.json) }) }

    private init(_ name: String, _ holds: String, _ database: LMDBDatabase, _ reading: ReadContext) throws {
        let statistics = try reading.snapshot.statistics(of: database)
        let pages = statistics.branchPages + statistics.leafPages + statistics.overflowPages
        cells = [
            OutputCell(name), OutputCell(holds), OutputCell(statistics.entries), OutputCell(statistics.depth),
            OutputCell(pages), OutputCell(statistics.byteCount),
        ]
    }

    /// Returns the facts about all databases of the store.
    static func all(_ reading: ReadContext) throws -> [DatabaseFacts] {
        let fixed = reading.state.databases
        var list = [
            try DatabaseFacts(StoreDatabases.metadataName, "metadata", fixed.metadata, reading),
            try DatabaseFacts(StoreDatabases.catalogName, "record types", fixed.catalog, reading),
            try DatabaseFacts(StoreDatabases.feedName, "change sets", fixed.feed, reading),
            try DatabaseFacts(StoreDatabases.consumersName, "consumers", fixed.consumers, reading),
        ]
        if let trail = fixed.trail {
            list.append(try DatabaseFacts(StoreDatabases.trailName, "records of left change sets", trail, reading))
        }
        if let statistics = fixed.statistics {
            list.append(try DatabaseFacts(StoreDatabases.statisticsName, "samples of records", statistics, reading))
        }
        for type in reading.catalog.types {
            let records = StoreDatabases.recordsName(type: type.type.id)
            list.append(try DatabaseFacts(records, type.name, type.database, reading))
            for index in type.indexes {
                let name = StoreDatabases.indexName(type: type.type.id, index: index.stored.id)
                let kind = index.stored.isUnique ? "unique index" : "index"
                let holds = "\(kind) of \(type.name) (\(index.fieldNames(in: type.type)))"
                list.append(try DatabaseFacts(name, holds, index.database, reading))
            }
        }
        return list
    }
}
