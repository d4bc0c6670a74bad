import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Random histories of changes inside values. They write records at every version, and compare them with a model of their
/// expected content.
@Suite struct NestedEvolutionTests {
    private static let blocks = TestLength.seedBlocks(4, long: 200, of: 10)

    @Test(arguments: blocks)
    func `values hold what they should, however their types change inside`(seeds: Range<UInt64>) throws {
        for seed in seeds { try NestedHistory(seed: seed).run(steps: 30) }
    }

    @Test(arguments: blocks)
    func `a value of which a program knows a part keeps the rest`(seeds: Range<UInt64>) throws {
        for seed in seeds {
            var generator = NestedGenerator(random: TestRandom(seed: seed))
            for _ in 0..<20 {
                var shape = generator.structure(depth: 3)
                for _ in 0..<4 { shape = generator.evolved(shape) }
                try Self.expectKept(shape, &generator, seed)
            }
        }
    }

    private static func expectKept(_ shape: NestedShape, _ generator: inout NestedGenerator, _ seed: UInt64) throws {
        func encoded(_ value: NestedValue, as type: FieldType) throws -> [UInt8] {
            var writer = ByteWriter()
            try shape.rendered(value, as: type).encode(as: type, to: &writer)
            return writer.array()
        }
        let form = PartialForm(shape.stored, declared: shape.declared)
        let (old, new) = (generator.value(shape), generator.value(shape))
        let oldStored = try encoded(old, as: shape.stored)
        let place = Comment(rawValue: "MODELSTORE_SEED=\(seed) \(shape.stored) as \(shape.declared)")

        // If the program writes back the visible part of a value unchanged, the store keeps the whole value.
        let seen = try encoded(old, as: shape.declared)
        var reduced = ByteWriter()
        unsafe try form.reduce(oldStored.span.bytes, to: &reduced)
        try requireSame(reduced.array(), seen, "\(place)")
        var kept = ByteWriter()
        unsafe try form.complete(seen.span.bytes, with: oldStored.span.bytes, to: &kept)
        try requireSame(kept.array(), oldStored, "\(place)")

        // The program reads back exactly the value that it wrote, whatever was stored before.
        let written = try encoded(new, as: shape.declared)
        for isThere in [false, true] {
            var whole = ByteWriter()
            if isThere {
                unsafe try form.complete(written.span.bytes, with: oldStored.span.bytes, to: &whole)
            } else {
                unsafe try form.complete(written.span.bytes, with: nil, to: &whole)
            }
            var back = ByteWriter()
            try form.reduce(whole.bytes, to: &back)
            try requireSame(back.array(), written, "\(place)")
            let value = try shape.read(DynamicValue(from: whole.bytes, as: shape.stored), as: shape.stored)
            try requireSame(value, shape.completed(new, from: isThere ? old : nil), "\(place)")
        }
    }
}

extension NestedShape {
    /// Returns the expected stored value after a program writes `value`: the fields that it does not declare come from the old
    /// value. Returns nil where the model cannot predict it, as for elements of arrays.
    fileprivate func completed(_ value: NestedValue, from old: NestedValue?) -> NestedValue? {
        switch (self, value) {
        case (.optional, .none), (.scalar, _), (.set, _): return value
        case (.optional(let inner), _): return inner.completed(value, from: old == NestedValue.none ? nil : old)
        case (.array(let inner), .list(let elements)):
            var before: [NestedValue] = []
            if case .list(let elements) = old { before = elements }
            let places = ElementMatch.indexes(of: elements.map(inner.key), among: before.map(inner.key))
            return .list(
                zip(elements, places).map { inner.completed($0, from: $1.map { before[$0] }) ?? NestedValue.none })
        case (.dictionary(_, let inner), .pairs(let pairs)):
            var before: [DynamicValue: NestedValue] = [:]
            if case .pairs(let pairs) = old { before = pairs }
            return .pairs(
                Dictionary(
                    uniqueKeysWithValues: pairs.map { key, value in
                        (key, inner.completed(value, from: before[key]) ?? NestedValue.none)
                    }))
        case (.structure(let members), .fields(let fields)):
            var before: [Int: NestedValue] = [:]
            if case .fields(let fields) = old { before = fields }
            var completed: [Int: NestedValue] = [:]
            for member in members {
                let (value, old) = (fields[member.number] ?? .none, before[member.number])
                completed[member.number] =
                    member.isDeclared
                    ? member.shape.completed(value, from: old) : old ?? member.defaultValue ?? NestedValue.none
            }
            return .fields(completed)
        default: return nil
        }
    }

    /// Returns the key that distinguishes declared elements.
    private func key(_ value: NestedValue) -> [UInt8] {
        var writer = ByteWriter()
        do {
            try rendered(value, as: declared).encode(as: declared, to: &writer)
        } catch {
            return []
        }
        return writer.array()
    }
}

/// One history.
private final class NestedHistory {
    private let folder: StoreFolder
    private var store: Store
    private var generator: NestedGenerator
    private var shapes: [NestedShape]
    private var records: [Int64: [NestedValue]] = [:]
    /// The content of the store at earlier positions, converted to the current form.
    private var moments: [(position: Position, records: [Int64: [NestedValue]])] = []
    private let seed: UInt64
    private var log: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        generator = NestedGenerator(random: TestRandom(seed: seed))
        folder = try StoreFolder()
        store = try Store(at: folder.path, records: [])
        let elements: NestedShape = .array(generator.shape(depth: 0))
        shapes = [generator.shape(depth: 3), generator.structure(depth: 3), elements]
        log.append("declare \(schema(shapes))")
        try store.addTypes([schema(shapes)])
    }

    private func schema(_ shapes: [NestedShape]) -> RecordSchema {
        let fields = shapes.enumerated().map { number, shape in
            FieldSchema(name: "f\(number)", type: shape.declared, defaultValue: nil, renamedFrom: [])
        }
        return RecordSchema(
            name: "Thing", fields: [FieldSchema("id", Int64.self)] + fields, id: IDSchema([0]),
            indexes: fields.indices.filter { place in
                // An array of bytes is `data`, which has an order. A wider element type would make it an array without an order,
                // so the store refuses to change it under an index.
                fields[place].type.hasIndexableElements && fields[place].type.elements?.unwrapped != .data
            }.map { IndexSchema([$0 + 1]) })
    }

    private var type: RecordType { store.recordTypes[0] }

    private var place: Comment { Comment(rawValue: "MODELSTORE_SEED=\(seed)\n" + log.joined(separator: "\n")) }

    func run(steps: Int) throws {
        for _ in 0..<steps {
            switch generator.random.below(10) {
            case 0...3: try write()
            case 4...6: try declare()
            case 7...8: try rewrite()
            default:
                log.append("reopen")
                store.close()
                store = try Store(at: folder.path, records: [])
            }
            try store.read { tx in try compare(tx, records) }
            if let moment = moments.randomElement(using: &generator.random) {
                try store.read(at: moment.position) { tx in try compare(tx, moment.records) }
            }
            if generator.random.oneIn(3) { moments.append((try store.position, records)) }
        }
        #expect(try store.findings() == [], place)
        store.close()
    }

    private func write() throws {
        for _ in 0...generator.random.below(3) {
            let id = Int64(generator.random.below(8))
            if generator.random.oneIn(4) {
                log.append("delete \(id)")
                try store.write { _ = try $0.delete(dynamicID: [.int(id)], typeIndex: 0) }
                records[id] = nil
                continue
            }
            let values = shapes.map { generator.value($0) }
            records[id] = values
            let fields = zip(zip(shapes, values), type.fields.dropFirst()).map { $0.0.rendered($0.1, as: $1.type) }
            log.append("upsert \(id) \(fields)")
            try store.write {
                _ = try $0.put(DynamicRecord(values: [.int(id)] + fields), typeIndex: 0, mode: .upsert)
            }
        }
    }

    /// Writes a record back unchanged. Its bytes are already in the newest form, so the store makes no change set.
    private func rewrite() throws {
        guard let id = records.keys.sorted().randomElement(using: &generator.random) else { return }
        log.append("rewrite \(id)")
        let before = try store.position
        try store.write { tx in
            guard let record = try tx._reading.dynamicRecord(id: [.int(id)], typeIndex: 0) else { return }
            _ = try tx.put(record, typeIndex: 0, mode: .update)
        }
        #expect(try store.position == before, place)
    }

    private func declare() throws {
        let number = generator.random.below(shapes.count)
        var next = shapes
        next[number] = generator.evolved(shapes[number])
        let schema = schema(next)
        log.append("declare \(schema.fields[number + 1].type)")
        let (declared, field) = (schema.fields[number + 1].type, type.fields[number + 1])
        let isOlder = type.hasLeftBehind(declared, of: field.type.evolved(to: declared), ofField: field.id)
        if isOlder || type.earlierVersion(declaredBy: schema) != nil && !SchemaFit(schema, on: type).servesFields {
            // A program of an earlier version cannot undo a change that made that version outdated.
            #expect(storeError { try store.addTypes([schema]) }?.code == .schemaMismatch, place)
            return
        }
        let error = storeError { try store.addTypes([schema]) }
        #expect(error == nil, "\(error as Any) \(place)")
        func adapted(_ records: [Int64: [NestedValue]]) -> [Int64: [NestedValue]] {
            records.mapValues { values in
                var values = values
                values[number] = values[number].adapted(from: shapes[number], to: next[number])
                return values
            }
        }
        records = adapted(records)
        moments = moments.map { ($0.position, adapted($0.records)) }
        shapes = next
    }

    private func compare(_ tx: borrowing ReadTransaction, _ expected: [Int64: [NestedValue]]) throws {
        var found: [Int64: [NestedValue?]] = [:]
        let types = type.fields.dropFirst().map(\.type)
        try tx._reading.forEachDynamic(typeIndex: 0) { record in
            guard case .int(let id) = record.values[0] else { return false }
            found[id] = zip(zip(shapes, types), record.values.dropFirst()).map { $0.0.read($1, as: $0.1) }
            return true
        }
        try requireSame(found, expected.mapValues { $0.map { Optional($0) } }, "\(place)")
        // Also counts records through the index.
        guard case .array(let inner) = shapes[2], types[2].hasIndexableElements else { return }
        let element = generator.value(inner)
        let rendered = inner.rendered(element, as: types[2].elements ?? .string)
        if rendered == .none { return }
        var request = Request()
        request.condition = .element(FieldName("f2"), rendered)
        let count = expected.values.count {
            if case .list(let elements) = $0[2] { elements.contains(element) } else { false }
        }
        #expect(try tx._reading.count(request, typeIndex: 0) == count, place)
    }
}
