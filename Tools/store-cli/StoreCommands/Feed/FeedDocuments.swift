import StoreEngine
import StoreRuntime

/// Writes each change set as a JSON object, on a line of its own or as an element of one array.
struct FeedDocuments: FeedPrinter {
    private let isArray: Bool
    private let output: StandardOutput
    private let store: Store
    private var count = 0
    private var isInside = false
    private var json = JSONWriter()

    init(isArray: Bool, _ output: StandardOutput, _ store: Store) throws {
        self.isArray = isArray
        self.output = output
        self.store = store
        if isArray { try output.write("[") }
    }

    mutating func append(_ changeSet: ChangeSet) throws {
        var isFirst = !isInside
        if isFirst { try begin(changeSet) }
        for change in changeSet.changes {
            if !isFirst { try output.write(",") }
            isFirst = false
            json.removeAll()
            json.append(try change.document())
            try output.write(json.bytes)
        }
    }

    mutating func endChangeSet() throws {
        try output.write(isArray ? "]}" : "]}\n")
        isInside = false
    }

    func flush() {}

    func finish() throws {
        if isArray { try output.write(count == 0 ? "]\n" : "\n]\n") }
    }

    /// Writes the part before the changes, up to the bracket that opens their array.
    private mutating func begin(_ changeSet: ChangeSet) throws {
        if isArray { try output.write(count == 0 ? "\n  " : ",\n  ") }
        count += 1
        isInside = true
        // A large change set has its hash in its last part. Before that part, the hash comes from the header of the next entry,
        // or from the feed's head.
        let position =
            try changeSet.isLastPart
            ? changeSet.position : store.read { try $0._reading.position(at: changeSet.sequence) }
        let origin = JSONValue.object([
            JSONMember("name", .string(changeSet.origin.name)),
            JSONMember("process", .number(JSONNumber(Int64(changeSet.origin.processID)))),
        ])
        let head = JSONValue.object([
            JSONMember("position", .number(JSONNumber(changeSet.sequence))),
            JSONMember("token", .string(position.description)), JSONMember("time", .string(changeSet.time.iso8601)),
            JSONMember("kind", .string(changeSet.kind.description)), JSONMember("origin", origin),
            JSONMember("action", try changeSet.action?.json() ?? .null),
        ])
        json.removeAll()
        json.append(head)
        try output.write(json.bytes.dropLast() + Array(#","changes":["#.utf8))
    }
}

extension RecordChange {
    /// Returns the change as a JSON object.
    func document() throws -> JSONValue {
        let states = try states()
        var members = [
            JSONMember("kind", .string(kind.name)), JSONMember("type", .string(typeName)),
            JSONMember("id", try id() ?? .null), JSONMember("changed", .array(changedFields.map { .string($0) })),
            JSONMember("before", states.before ?? .null), JSONMember("after", states.after ?? .null),
        ]
        if let replaced = try replaced() {
            let record = try JSONReader.read(Array(replaced.json.utf8))
            members.append(
                JSONMember(
                    "replaced",
                    .object([JSONMember("type", .string(replaced.typeName)), JSONMember("record", record)])))
        }
        if let schema = try schema() { members.append(JSONMember("schema", schema)) }
        return .object(members)
    }
}

extension FeedDocuments: FeedDifferencePrinter {
    mutating func append(_ difference: FeedDifference) throws {
        let records = try difference.records.map { record in
            JSONValue.object([
                JSONMember("kind", .string(record.name)), JSONMember("type", .string(record.typeName)),
                JSONMember("id", try record.idValue() ?? .null), JSONMember("after", try record.rowValue() ?? .null),
            ])
        }
        try write([
            JSONMember("since", .string(difference.since.description)),
            JSONMember("reached", .number(JSONNumber(difference.reached))),
            JSONMember("newest", .number(JSONNumber(difference.newest))), JSONMember("difference", .array(records)),
        ])
    }

    mutating func endDifference(at position: Position) throws {
        try write([
            JSONMember("position", .number(JSONNumber(position.sequence))),
            JSONMember("token", .string(position.description)), JSONMember("ready", .bool(true)),
        ])
    }

    private mutating func write(_ members: [JSONMember]) throws {
        if isArray { try output.write(count == 0 ? "\n  " : ",\n  ") }
        count += 1
        json.removeAll()
        json.append(.object(members))
        try output.write(json.bytes)
        if !isArray { try output.write("\n") }
    }
}

extension DifferenceEntry {
    /// The kind in the output.
    var name: String {
        switch state {
        case .present: "net-" + (kind?.name ?? "put")
        case .absent: "net-" + (kind?.name ?? "absent")
        case .unmatched: "net-unmatched"
        case .schema: "net-schema"
        case .reset: "net-reset"
        }
    }
}
