import Foundation
import StoreEngine
import TestSupport
import Testing

/// Modified bytes must give a value or an error. A trap would end the test run.
@Suite struct MutationTests {
    private static let seeds = 0..<8

    /// How many changed inputs were accepted and how many refused. If one of them is zero, a test has tried nothing.
    private struct Outcomes {
        var accepted = 0
        var refused = 0

        /// Returns the value of an accepted input; nil for a refused one.
        mutating func note<Value>(_ decode: () throws -> Value) -> Value? {
            let value = try? decode()
            if value == nil { refused += 1 } else { accepted += 1 }
            return value
        }

        var isMixed: Bool { accepted > 0 && refused > 0 }
    }

    private static func runs(_ short: Int) -> Int { TestLength.runs(short, long: short * 25) }

    /// Returns the bytes with some changed, removed, inserted, repeated or swapped.
    private static func mutated(_ bytes: [UInt8], _ random: inout TestRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(3) { random.pick(Mutation.allCases).apply(to: &bytes, &random) }
        return bytes
    }

    private static func noise(_ random: inout TestRandom) -> [UInt8] {
        (0..<random.below(60)).map { _ in UInt8(random.below(random.oneIn(2) ? 4 : 256)) }
    }

    @Test(arguments: seeds)
    func `records decode or fail, typed and by the catalog alone`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        let type = try Everything.openType()
        var decoded = 0
        for _ in 0..<Self.runs(40) {
            let whole = try Everything(&random).sealed()
            for _ in 0..<100 {
                let bytes = random.oneIn(20) ? Self.noise(&random) : Self.mutated(whole, &random)
                let span = unsafe bytes.span.bytes
                _ = try? DynamicRecord(unverified: span, of: type)
                guard let record = try? RecordBytes(unverified: span), let table = try? record.table else { continue }
                try? table.requireExactFill()
                for place in 0..<3 { _ = try? table.field(random.below(20) - place) }
                if (try? Everything(from: FieldDecoder(table))) != nil { decoded += 1 }
                for index in type.indexes {
                    var key = ByteWriter()
                    _ = try? IndexEntry.appendValue(of: table, index, to: &key)
                }
                #expect((try? RecordBytes(span)) == nil || bytes == whole)
            }
        }
        // Without the checksum some of them must decode. Otherwise the test has tried nothing.
        #expect(decoded > 0)
    }

    @Test(arguments: seeds)
    func `values of every type decode or fail, and what decodes encodes again`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        var outcomes: [String: Outcomes] = [:]
        for _ in 0..<Self.runs(300) {
            try Self.values(String.self, &random, &outcomes)
            try Self.values(Data.self, &random, &outcomes)
            try Self.values(URL.self, &random, &outcomes)
            try Self.values(Decimal.self, &random, &outcomes)
            try Self.values(Duration?.self, &random, &outcomes)
            try Self.values([String].self, &random, &outcomes)
            try Self.values(Set<Int16>.self, &random, &outcomes)
            try Self.values([String: [Bool?]].self, &random, &outcomes)
            try Self.values(Inner.self, &random, &outcomes)
            try Self.values([Deeper].self, &random, &outcomes)
            try Self.values(Shade?.self, &random, &outcomes)
        }
        // Any bytes are a value of `Data`.
        let mixed = outcomes.filter(\.value.isMixed).keys
        #expect(Set(outcomes.keys).subtracting(mixed) == ["\(Data.self)"])
    }

    private static func values<V: TestValue>(
        _ type: V.Type, _ random: inout TestRandom, _ outcomes: inout [String: Outcomes]
    ) throws {
        let whole = try V.random(&random).encoded()
        guard try V(from: whole).encoded() == whole else { throw Mismatch("\(type): \(whole)") }
        for _ in 0..<6 {
            let bytes = random.oneIn(5) ? noise(&random) : mutated(whole, &random)
            if let value = outcomes["\(type)", default: Outcomes()].note({ try V(from: bytes) }) {
                _ = try value.encoded()
            }
            if let dynamic = unsafe try? DynamicValue(from: bytes.span.bytes, as: V.fieldType) {
                var writer = ByteWriter()
                try? dynamic.encode(as: V.fieldType, to: &writer)
                _ = dynamic.text
            }
            if let component = KeyComponent(V.fieldType) {
                var key = ByteWriter()
                unsafe try? component.append(bytes.span.bytes, to: &key)
            }
        }
    }

    @Test(arguments: seeds)
    func `feed entries and fragments decode or fail`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        let stream = try Self.stream(&random)
        _ = unsafe try FeedEntry(sequence: 1, hash: 2, stream: stream.span.bytes)
        var (entries, fragments) = (Outcomes(), Outcomes())
        for _ in 0..<Self.runs(4_000) {
            let bytes = random.oneIn(10) ? [1, 0] + Self.noise(&random) : Self.mutated(stream, &random)
            _ = entries.note { unsafe try FeedEntry(sequence: 1, hash: 2, stream: bytes.span.bytes) }
            let key = Self.mutated(Array(repeating: 0, count: 12), &random)
            guard let fragment = unsafe try? FeedFragment(key: key.span.bytes, value: bytes.span.bytes) else {
                fragments.refused += 1
                continue
            }
            fragments.accepted += 1
            _ = try? fragment.verifiedHash(seed: 0)
            _ = try? FeedFragment.previousHash(inFirst: fragment.stream)
        }
        #expect(entries.isMixed && fragments.isMixed, "\(entries) \(fragments)")
    }

    /// Returns the stream of a change set with one change of each kind.
    private static func stream(_ random: inout TestRandom) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.append(byte: FeedEntry.format)
        writer.append(byte: 0)
        for word in 0..<3 { writer.append(UInt64(word)) }
        writer.append(varint: 4_711)
        append(Array("origin".utf8), to: &writer)
        writer.append(varint: 5)
        for kind in ChangeKind.allCases where kind != .replace {
            writer.append(byte: kind.rawValue)
            writer.append(varint: 1)
            if kind == .schema || kind == .reset {
                append(Array("{}".utf8), to: &writer)
                continue
            }
            append([1, 2, 3], to: &writer)
            append(try Everything(&random).sealed(), to: &writer)
            guard kind == .update else { continue }
            writer.append(varint: 1)
            writer.append(varint: 2)
            for field in 0..<2 {
                writer.append(varint: UInt64(field))
                writer.append(byte: UInt8(field))
                if field == 1 { append([9], to: &writer) }
            }
        }
        return writer.array()
    }

    private static func append(_ bytes: [UInt8], to writer: inout ByteWriter) {
        unsafe writer.append(lengthPrefixed: bytes.span.bytes)
    }

    @Test(arguments: seeds)
    func `index entries and the heads of feed and trail decode or fail`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        var head = ByteWriter()
        FeedHead(sequence: 7, hash: 8, epoch: 9, oldest: 3, transactionID: 10).encode(to: &head)
        let whole = head.array()
        var trail = ByteWriter()
        let epochs = (1...3).map { TrailHead.EpochStart(epoch: 100 - $0, sequence: $0) }
        TrailHead(limit: 9, floor: 3, epochs: epochs).encode(to: &trail)
        let wholeTrail = trail.array()
        var (heads, trails, entries) = (Outcomes(), Outcomes(), Outcomes())
        for _ in 0..<Self.runs(8_000) {
            let bytes = Self.mutated(whole, &random)
            if let head = heads.note({ unsafe try FeedHead(from: bytes.span.bytes) }) { _ = head.retainedCount }
            let trailBytes = Self.mutated(wholeTrail, &random)
            if let head = trails.note({ unsafe try TrailHead(from: trailBytes.span.bytes) }) {
                #expect(head.floor <= head.noted)
            }
            let key = Self.noise(&random)
            let data = Self.mutated([UInt8(random.below(3)), UInt8(random.below(70))], &random)
            guard let found = unsafe try? IndexEntry.recordKey(key: key.span.bytes, data: data.span.bytes) else {
                entries.refused += 1
                continue
            }
            entries.accepted += 1
            #expect(found.byteCount > 0)
        }
        #expect(heads.isMixed && trails.isMixed && entries.isMixed, "\(heads) \(trails) \(entries)")
    }

    @Test(arguments: seeds)
    func `catalog entries and positions decode or fail`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        let json = try CatalogStorage.encode(RecordType(id: 1, declared: Everything.recordSchema))
        var (types, positions) = (Outcomes(), Outcomes())
        for _ in 0..<Self.runs(150) {
            let bytes = Self.mutated(json, &random)
            guard let type = types.note({ try JSONDecoder().decode(RecordType.self, from: Data(bytes)) }) else {
                continue
            }
            try? type.schema.validate()
            _ = type.fields.map { "\($0.type)" }
        }
        let token = Array("00000000-0000-4000-8000-000000000000.1f.17.abc".utf8)
        for _ in 0..<Self.runs(2_000) {
            let text = String(decoding: Self.mutated(token, &random), as: UTF8.self)
            guard let position = Position(text) else {
                positions.refused += 1
                continue
            }
            positions.accepted += 1
            #expect(Position(position.description) == position)
        }
        #expect(types.isMixed && positions.isMixed, "\(types) \(positions)")
    }
}
