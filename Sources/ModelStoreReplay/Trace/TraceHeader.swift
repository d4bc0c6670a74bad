import Foundation
package import StoreEngine

/// The first line of a trace: the recorded store, and the position at which the trace begins.
package struct TraceHeader: Sendable, Equatable {
    /// The format version of the traces that this library writes. It also reads earlier versions.
    ///
    /// | version | change |
    /// |---|---|
    /// | 1 | |
    /// | 2 | JSON in a field keeps its bytes: ``ValueForm/exact`` |
    package static let format: UInt64 = 2
    /// The bytes of every header before the number of its format.
    static let beginning = Array(#"{"trace":"#.utf8)

    /// The identity of the recorded store, and the position at which the trace begins.
    package var start: Position
    /// The record types at that position, by number, including types that were replaced.
    package var types: [RecordType]
    /// The greatest ids that the store had assigned, by type number.
    package var assignedIDs: [(type: UInt32, id: UInt64)]
    /// How many records the trace begins with. They follow the header.
    package var rowCount: Int
    /// The content hash of these records; nil if fields were redacted.
    package var content: UInt64?
    /// The redacted fields, as `Type.field`.
    package var redacted: [String]
    /// The format version of this trace.
    package var format = TraceHeader.format
    /// The library that wrote the trace, with its version.
    package var writer = "ModelStore " + LibraryVersion.text

    package static func == (left: TraceHeader, right: TraceHeader) -> Bool { left.json == right.json }

    /// Whether the replayed feed has the same bytes as the recorded one, so that hashes can be compared.
    package var isExact: Bool { redacted.isEmpty }

    /// How the trace writes values.
    var form: ValueForm { format < 2 ? .plain : .exact }
}

extension TraceHeader {
    package var json: JSONValue {
        .object([
            JSONMember("trace", .number(JSONNumber(format))), JSONMember("by", .string(writer)),
            JSONMember("store", .string(start.store.uuidString)), JSONMember("epoch", .hash(start.epoch)),
            JSONMember("after", .number(JSONNumber(start.sequence))), JSONMember("hash", .hash(start.hash)),
            JSONMember("types", .array(types.map { Self.json($0) ?? .null })),
            JSONMember(
                "assigned",
                .array(assignedIDs.map { .array([.number(JSONNumber(UInt64($0.type))), .number(JSONNumber($0.id))]) })),
            JSONMember("rows", .number(JSONNumber(rowCount))),
            JSONMember("content", content.map { .hash($0) } ?? .null),
            JSONMember("redacted", .array(redacted.map { .string($0) })),
        ])
    }

    package init(_ json: JSONValue) throws {
        guard let format = json["trace"]?.number?.uint64 else {
            throw TraceMistake("it does not begin with a trace's header")
        }
        guard format <= Self.format else {
            throw StoreError(
                .newerTrace, "the trace has format \(format), but this program reads formats up to \(Self.format)",
                remedy: "use a program built with a newer ModelStore")
        }
        guard let identity = json["store"]?.string.flatMap({ UUID(uuidString: $0) }), let epoch = json["epoch"]?.hash,
            let sequence = json["after"]?.number?.uint64, sequence <= Int64.max, let hash = json["hash"]?.hash,
            let types = json["types"]?.array, let rows = json["rows"]?.number?.int64, rows >= 0,
            let assigned = json["assigned"]?.array, let redacted = json["redacted"]?.array
        else { throw TraceMistake("the header lacks a member") }
        start = Position(store: identity, epoch: epoch, sequence: sequence, hash: hash)
        self.types = try types.map(Self.type)
        assignedIDs = try assigned.map { pair in
            guard let type = pair[0]?.number?.uint64.flatMap(UInt32.init(exactly:)), let id = pair[1]?.number?.uint64
            else {
                throw TraceMistake("a greatest assigned id is not a pair of numbers")
            }
            return (type, id)
        }
        rowCount = Int(rows)
        content = json["content"]?.hash
        self.redacted = redacted.compactMap(\.string)
        self.format = format
        writer = json["by"]?.string ?? ""
    }

    /// Returns a record type in the form of the store's catalog.
    static func json(_ type: RecordType) -> JSONValue? {
        (try? CatalogStorage.encode(type)).flatMap { try? JSONReader.read($0) }
    }

    static func type(_ json: JSONValue) throws -> RecordType {
        do {
            return try JSONDecoder().decode(RecordType.self, from: Data(JSONWriter.bytes(of: json)))
        } catch {
            throw TraceMistake("a record type cannot be read: \(error)")
        }
    }
}

extension JSONValue {
    /// Writes 64 bits as a text, because JSON numbers do not carry 64 bits in all languages.
    static func hash(_ value: UInt64) -> JSONValue { .string(String(value, radix: 16)) }

    /// The value that ``hash(_:)`` wrote.
    var hash: UInt64? { string.flatMap { UInt64($0, radix: 16) } }
}
