import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// `import` restores the output of `export` without loss, whatever the fields contain.
@Suite("Export and import") struct RoundTripTests {
    @Test(arguments: 0..<6) func `Random records of every type come back equal`(seed: UInt64) throws {
        var random = RandomRecords(seed: seed)
        let tool = try Tool()
        let schema = random.schema()
        let written = try fill(tool.store, schema, count: 120, &random)
        try tool.write("schema.json", try tool.run("schema", "--output", "json").output)
        try tool.write("all.jsonl", try tool.run("export").output)
        try tool.write("everything.csv", try tool.run("--output", "csv", "export", "Everything").output)

        #expect(try tool.run("--store", "second", "create", "--schema", "schema.json").status == 0)
        let imported = try tool.run("--store", "second", "import", "all.jsonl")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try records(tool.path("second")) == written)
        let copied = try tool.run("--store", "second", "schema", "--output", "json").output
        #expect(try tool.run("schema", "--output", "json").output == copied)

        #expect(try tool.run("--store", "third", "create", "--schema", "schema.json").status == 0)
        let csv = try tool.run("--store", "third", "import", "Everything", "everything.csv")
        #expect(csv.status == 0, "\(csv.errors)")
        #expect(try records(tool.path("third")) == written)
        #expect(try tool.run("--store", "third", "verify").status == 0)
    }

    @Test(arguments: 0..<6) func `A store's own export changes nothing`(seed: UInt64) throws {
        var random = RandomRecords(seed: seed)
        let tool = try Tool()
        let written = try fill(tool.store, random.schema(), count: 120, &random)
        let feed = try tool.run("--output", "jsonl", "feed").output
        try tool.write("all.jsonl", try tool.run("export").output)
        try tool.write("everything.jsonl", try tool.run("export", "Everything").output)
        try tool.write("everything.csv", try tool.run("--output", "csv", "export", "Everything").output)
        for file in [["all.jsonl"], ["Everything", "everything.jsonl"], ["Everything", "everything.csv"]] {
            let imported = try tool.run(["import"] + file)
            #expect(
                imported.status == 0 && imported.errors.contains("0 added, 120 already there"), "\(imported.errors)")
            #expect(try tool.run("--output", "jsonl", "feed").output == feed, "\(file)")
            #expect(try records(tool.store) == written)
        }
    }

    @Test(arguments: ["jsonl", "csv"]) func `An export of swapped unique values is imported`(format: String) throws {
        let tool = try uniqueTool()
        try tool.write("before.\(format)", try tool.run("--output", format, "export", "Seat").output)
        // The seats of 1, 2 and 3 move on in a circle.
        for (id, number) in [("3", "9"), ("2", "3"), ("1", "2"), ("3", "1")] {
            #expect(try tool.run("set", "Seat", id, "number=\(number)").status == 0)
        }
        let swapped = try tool.run("import", "Seat", "before.\(format)")
        #expect(swapped.status == 0, "\(swapped.errors)")
        let before = try String(contentsOfFile: tool.path("before.\(format)"), encoding: .utf8)
        #expect(try tool.run("--output", format, "export", "Seat").output == before)
        // One change set, in which each record changes once.
        let feed = try tool.run("--output", "jsonl", "feed", "--since", "6").output
        #expect(
            feed.split(separator: "\n").count == 1 && feed.components(separatedBy: #""update""#).count == 4, "\(feed)")
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `A unique value that is held at the end of an import is named with its line`() throws {
        let tool = try uniqueTool()
        // The first line takes the number of 2, the second gives 1 to 4, and the third takes the number of the fourth.
        try tool.write(
            "seats.jsonl",
            """
            {"id": 1, "number": 2}
            {"id": 4, "number": 1}
            {"id": 5, "number": 6}
            {"id": 6, "number": 6}
            """)
        let refused = try tool.run("import", "Seat", "seats.jsonl")
        #expect(
            refused.status == 1 && refused.errors.contains("seats.jsonl, line 1: another Seat (id 2)"), "\(refused)")
        #expect(refused.errors.contains("nothing was imported"))
        let skipped = try tool.run("import", "Seat", "seats.jsonl", "--on-error", "skip")
        #expect(skipped.status == 0 && skipped.errors.contains("imported 1 record: 1 added"), "\(skipped)")
        for line in [1, 2, 4] { #expect(skipped.errors.contains("skipped seats.jsonl, line \(line): another Seat")) }
        #expect(
            try tool.run("--output", "csv", "export", "Seat").output == "id,number\n1,1\n2,2\n3,3\n5,6\n")
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `The last line of a record counts, also if an earlier one had to wait`() throws {
        let tool = try uniqueTool()
        try tool.write("seats.csv", "id,number\n1,2\n1,7\n2,8\n")
        #expect(try tool.run("import", "Seat", "seats.csv").status == 0)
        #expect(try tool.run("--output", "csv", "export", "Seat").output == "id,number\n1,7\n2,8\n3,3\n")
    }

    /// Creates a store of three seats with unique numbers.
    private func uniqueTool() throws -> Tool {
        let tool = try Tool()
        try tool.write(
            "schema.json",
            """
            {"types": [{"name": "Seat", "id": ["id"],
              "fields": [{"name": "id", "type": "int64"}, {"name": "number", "type": "int64"}],
              "indexes": [{"fields": ["number"], "unique": true}]}]}
            """)
        try tool.run("create", "--schema", "schema.json")
        try tool.write("seats.csv", "id,number\n1,1\n2,2\n3,3\n")
        #expect(try tool.run("import", "Seat", "seats.csv").status == 0)
        return tool
    }

    @Test func `Defaults survive a schema document to the last bit`() throws {
        let tool = try Tool()
        let schema = RecordSchema(
            name: "Defaults",
            fields: [
                FieldSchema("id", Int64.self), FieldSchema("a", Double.self, default: -0.0),
                FieldSchema("b", Double.self, default: .infinity),
                FieldSchema(name: "c", type: .optional(.string), defaultValue: .value([]), renamedFrom: []),
                FieldSchema("d", [String].self, default: ["x", "ü"]), FieldSchema("e", Date.self, token: .now),
                FieldSchema("f", UUID.self, token: .newID), FieldSchema("g", UInt64.self, default: .max),
                FieldSchema("h", [String: Int8].self, default: ["a": 1, "b": -1], renamedFrom: ["old", "older"]),
            ], id: IDSchema([0]))
        let store = try Store(at: tool.store, records: [])
        try store.addTypes([schema])
        store.close()
        try tool.write("schema.json", try tool.run("schema", "--output", "json").output)
        #expect(try tool.run("--store", "second", "create", "--schema", "schema.json").status == 0)
        let copy = try Store(at: tool.path("second"), records: [])
        defer { copy.close() }
        #expect(copy.recordTypes.map(\.schema) == [schema])
        let inserted = try tool.run("--store", "second", "insert", "Defaults", #"{"id": 1}"#)
        #expect(inserted.status == 0, "\(inserted.errors)")
    }

    @Test func `An id of a deleted record is not given out again by a copy`() throws {
        let tool = try Sample.tool()
        for text in ["two", "three"] { try tool.run("insert", "Log", "{\"text\": \"\(text)\"}") }
        try tool.run("delete", "Log", "2", "3")
        try tool.write("all.jsonl", try tool.run("export").output)
        let schema = try tool.run("schema", "--output", "json").output
        try tool.write("schema.json", schema)
        #expect(try tool.run("--store", "second", "create", "--schema", "schema.json").status == 0)
        #expect(try tool.run("--store", "second", "import", "all.jsonl").status == 0)
        #expect(try tool.run("--store", "second", "schema", "--output", "json").output == schema)
        for store in ["store", "second"] {
            let inserted = try tool.run("--store", store, "insert", "Log", #"{"text": "x"}"#, "--output", "csv")
            #expect(inserted.output == "number,text\n4,x\n")
        }
        #expect(try tool.run("--store", "second", "verify").status == 0)
    }

    @Test func `JSON's null in an optional field differs from a missing value`() throws {
        let tool = try Tool()
        let fields = [("id", FieldType.int64), ("always", .json), ("perhaps", .optional(.json))].map {
            FieldSchema(name: $0, type: $1, defaultValue: nil, renamedFrom: [])
        }
        let store = try Store(at: tool.store, records: [])
        try store.addTypes([RecordSchema(name: "A", fields: fields, id: IDSchema([0]))])
        _ = try store.write { transaction in
            let record = DynamicRecord(values: [.int(1), .json("null"), .json("null")])
            try transaction.put(record, typeIndex: 0, mode: .insert)
        }
        store.close()
        let before = try records(tool.store)
        let exported = try tool.run("export").output
        try tool.write("all.jsonl", exported)
        #expect(exported.contains(#"{"id":1,"always":null,"perhaps":{"$json":"null"}}"#))
        #expect(try tool.run("import", "all.jsonl").status == 0)
        #expect(try tool.run("--output", "csv", "export", "A").output == "id,always,perhaps\n1,null,null\n")
        #expect(try records(tool.store) == before)
        let mistake = try tool.run("upsert", "A", #"{"id": 1, "always": {"$json": "[1,"}}"#)
        #expect(mistake.status == 65 && mistake.errors.contains("A.always: takes JSON in $json"), "\(mistake)")
    }

    private func fill(
        _ path: String, _ schema: RecordSchema, count: Int, _ random: inout RandomRecords
    ) throws -> [[UInt8]] {
        let store = try Store(at: path, records: [])
        defer { store.close() }
        try store.addTypes([schema])
        let records = (0..<count).map { random.record(schema, id: $0) }
        _ = try store.write { transaction in
            for record in records { try transaction.put(record, typeIndex: 0, mode: .insert) }
        }
        return try self.records(path)
    }

    /// Returns the encoded fields of all records. Equal values can have different bytes, such as zero and negative zero.
    private func records(_ path: String) throws -> [[UInt8]] {
        let store = try Store(at: path, records: [])
        defer { store.close() }
        let type = store.recordTypes[0]
        return try store.read { transaction in
            var found: [[UInt8]] = []
            try transaction._reading.forEachDynamic(typeIndex: 0) { record in
                var writer = ByteWriter()
                try EncodedFields.append(record.values, of: type, to: &writer)
                found.append(writer.array())
                return true
            }
            return found
        }
    }
}

/// Makes records with values that are easily lost: extremes, signed zeros, quotation marks and separators.
struct RandomRecords {
    private var random: TestRandom

    init(seed: UInt64) { random = TestRandom(seed: seed) }

    private static let root = URL(filePath: "/")
    private static let otherNaN = Double(bitPattern: 0xFFF8_0000_0000_0001)
    private static let scalars: [FieldType] = [
        .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .string, .data, .uuid,
        .date, .url, .decimal, .duration, .json, .enumeration(.string, cases: ["a", "b"]),
        .enumeration(.int16, cases: nil),
    ]

    /// Returns a schema with a field of every type: plain, optional and in collections.
    mutating func schema() -> RecordSchema {
        var fields = [FieldSchema(name: "id", type: .int64, defaultValue: nil, renamedFrom: [])]
        func add(_ type: FieldType) {
            fields.append(FieldSchema(name: "f\(fields.count)", type: type, defaultValue: nil, renamedFrom: []))
        }
        for type in Self.scalars {
            add(type)
            add(.optional(type))
            if type != .uint8 { add(.array(type)) }
        }
        for type in [FieldType.string, .int32, .uuid] {
            add(.set(type))
            add(.dictionary(.string, type))
            add(.dictionary(.int64, .optional(type)))
        }
        let inner = FieldSchema(name: "in, ner", type: .optional(.double), defaultValue: nil, renamedFrom: [])
        let text = FieldSchema(name: "text", type: .string, defaultValue: nil, renamedFrom: [])
        let embedded = FieldType.embedded(EmbeddedSchema(fields: [inner, text]))
        add(embedded)
        add(.optional(embedded))
        add(.array(.optional(embedded)))
        return RecordSchema(name: "Everything", fields: fields, id: IDSchema([0]))
    }

    /// Returns a record with this id.
    mutating func record(_ schema: RecordSchema, id: Int) -> DynamicRecord {
        var values: [DynamicValue] = [.int(Int64(id))]
        for field in schema.fields.dropFirst() { values.append(value(field.type)) }
        return DynamicRecord(values: values)
    }

    private mutating func value(_ type: FieldType) -> DynamicValue {
        switch type {
        case .bool: return .bool(Bool.random(using: &random))
        case .int8: return .int(Int64(integer(Int8.self)))
        case .int16: return .int(Int64(integer(Int16.self)))
        case .int32: return .int(Int64(integer(Int32.self)))
        case .int64: return .int(integer(Int64.self))
        case .uint8: return .uint(UInt64(integer(UInt8.self)))
        case .uint16: return .uint(UInt64(integer(UInt16.self)))
        case .uint32: return .uint(UInt64(integer(UInt32.self)))
        case .uint64: return .uint(integer(UInt64.self))
        case .float:
            let nan = Float(bitPattern: 0xFFC0_0001)
            return .float(pick([0, -0.0, .infinity, .nan, nan, .leastNonzeroMagnitude, 0.1, Float(fraction())]))
        case .double:
            return .double(
                pick([
                    0, -0.0, -.infinity, .nan, Self.otherNaN, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
                    fraction(),
                ]))
        case .string: return .string(text())
        case .data: return .data((0..<Int.random(in: 0...9, using: &random)).map { _ in integer(UInt8.self) })
        case .uuid: return .uuid(UUID(uuid: (uuidBytes())))
        case .date:
            let seconds = pick([
                0, -0.0, 0.1, -1e9, 812_345_678.123456, 1e300, -.infinity, .nan, Self.otherNaN, fraction(),
            ])
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .url:
            let relative = URL(string: "b?c", relativeTo: URL(string: "https://example.org/a/"))
            return .url(
                pick([URL(filePath: "/a b"), URL(string: "https://example.org/?q=%20,"), relative]) ?? Self.root)
        case .decimal:
            return .decimal(pick([0, Decimal(string: "-123456789012345678901234567890.12") ?? 0, .nan, 0.5]))
        case .duration:
            return .duration(
                pick([
                    .zero, .nanoseconds(-1), .seconds(1_000_000), .init(attoseconds: 1), .init(attoseconds: .min),
                    .init(attoseconds: .max),
                ]))
        case .json:
            // As Foundation writes it, as another program may have, and in the form that exports use themselves.
            return .json(
                pick([
                    #"{"a":[1,2.50,"x\"y"]}"#, "null", "[]", "1.0", "\"\"", #"{"a":"\u001b\u0007"}"#, #"{"a": 1 }"#,
                    " null",
                    #"{"$json":"1"}"#, #"{"$json":1}"#, #""\/""#,
                    String(repeating: "[", count: 300)
                        + String(repeating: "]", count: 300),
                ]))
        case .optional(let wrapped): return Bool.random(using: &random) ? .none : value(wrapped)
        case .array(let element): return .list((0..<Int.random(in: 0...3, using: &random)).map { _ in value(element) })
        case .set(let element): return .list(Array(Set((0..<3).map { _ in value(element) })))
        case .dictionary(let key, let value):
            let keys = Set((0..<3).map { _ in self.value(key) })
            return .pairs(keys.map { DynamicPair(key: $0, value: self.value(value)) })
        case .enumeration(let raw, let cases):
            return cases.map { .string(pick($0.rawValues)) } ?? value(raw)
        case .embedded(let schema): return .fields(schema.fields.map { value($0.type) })
        case .reference(_, let id): return value(id)
        }
    }

    private mutating func text() -> String {
        pick([
            "", " ", "null", "\"", "a,b", "line\nend\r\n", "ü\u{301}", "👩‍🚀", "\u{0}", "\u{FEFF}x", "[1", "true", "-0",
            "007",
        ])
    }

    private mutating func fraction() -> Double { Double.random(in: -1e6...1e6, using: &random) }

    private mutating func integer<I: FixedWidthInteger>(_ type: I.Type) -> I {
        pick([.min, .max, 0, 1, I.random(in: .min ... .max, using: &random)])
    }

    private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

    private mutating func uuidBytes() -> uuid_t {
        var bytes = UUID().uuid
        bytes.0 = integer(UInt8.self)
        return bytes
    }
}
