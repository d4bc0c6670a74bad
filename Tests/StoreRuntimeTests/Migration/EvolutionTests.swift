import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Random histories of declarations, migrations and writes, compared with a model of their expected outcome.
@Suite struct EvolutionTests {
    private static let blocks = TestLength.seedBlocks(5, long: 200, of: 10)

    @Test(arguments: blocks)
    func `a type that is declared anew again and again holds what it should`(seeds: Range<UInt64>) throws {
        for seed in seeds {
            let history = try EvolutionHistory(seed: seed)
            try history.run(steps: 30)
        }
    }
}

/// One history.
private final class EvolutionHistory {
    private let folder: StoreFolder
    private var store: Store
    private var generator: EvolutionGenerator
    private var model = EvolvingModel()
    private let seed: UInt64
    private var pasts = EarlierContents()
    private var log: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        generator = EvolutionGenerator(random: TestRandom(seed: seed))
        folder = try StoreFolder()
        store = try Store(at: folder.path, records: [])
        for _ in 0..<3 {
            let name = model.newName()
            var field = generator.field(name)
            if generator.random.oneIn(2) { field.defaultValue = nil }
            model.fields.append(field)
        }
        try store.addTypes([model.schema])
    }

    func run(steps: Int) throws {
        for _ in 0..<steps {
            switch generator.random.below(10) {
            case 0...4: try write()
            case 5...7: try declare()
            case 8: try migrate()
            default: try reopen()
            }
            try compare()
            try comparePast()
        }
        let findings = try store.findings()
        #expect(findings.isEmpty, "\(findings) \(place)")
        store.close()
    }

    private var place: String { "MODELSTORE_SEED=\(seed)\n" + log.joined(separator: "\n") }

    private var type: RecordType { store.recordTypes[0] }

    // MARK: Steps

    private func write() throws {
        for _ in 0...generator.random.below(4) {
            let id = Int64(generator.random.below(12))
            if generator.random.oneIn(4) {
                log.append("delete \(id)")
                let wasThere = try store.write { try $0.delete(dynamicID: [.int(id)], typeIndex: 0) }
                #expect(wasThere == (model.records.removeValue(forKey: id) != nil), "\(place)")
                continue
            }
            var values: [String: DynamicValue] = [:]
            for field in model.fields { values[field.name] = generator.value(field.type) }
            let record = dynamic(id, values)
            log.append("upsert \(id) \(values)")
            let holds = model.fields.allSatisfy { field in
                field.index != .unique || values[field.name] == DynamicValue.none
                    || !model.records.contains { $0.key != id && $0.value[field.name] == values[field.name] }
            }
            let error = storeError { _ = try store.write { try $0.put(record, typeIndex: 0, mode: .upsert) } }
            #expect(error?.code == (holds ? nil : .uniqueViolation), "\(String(describing: error)) \(place)")
            if holds { model.records[id] = values }
        }
    }

    private func declare() throws {
        var earlier = pasts
        var next = earlier.evolved(with: model) { generator.evolve($0) }
        log.append("declare \(next.schema)")
        let schema = next.schema
        let isOlder = type.earlierVersion(declaredBy: schema) != nil && !SchemaFit(schema, on: type).servesFields
        let error = storeError { try store.addTypes([schema]) }
        if isOlder {
            // A declaration that a migration has replaced comes from an older program, so the store refuses it.
            #expect(error?.code == .schemaMismatch, "\(place)")
            return
        }
        // An index over equal values cannot become unique. The store drops that index and keeps the other changes.
        let failing = next.fields.indices.filter { next.fields[$0].index == .unique && !isDistinct(next, $0) }
        #expect(error?.code == (failing.isEmpty ? nil : .uniqueViolation), "\(String(describing: error)) \(place)")
        for field in failing { next.fields[field].index = nil }
        model = next
        pasts = earlier
        // The next opening builds the indexes after the one that failed, and those can fail in turn.
        for _ in failing.dropFirst() {
            #expect(storeError { try store.addTypes([model.schema]) }?.code == .uniqueViolation, "\(place)")
        }
        if error != nil { try store.addTypes([model.schema]) }
    }

    private func migrate() throws {
        var next = model
        next.fields.removeAll { !$0.isDeclared }
        var fits = true
        if let place = next.fields.indices.randomElement(using: &generator.random) {
            let old = next.fields[place].type
            let types = EvolvingModel.scalars + EvolvingModel.scalars.map { .optional($0) }
            let type = generator.random.pick(types.filter { FieldConversion.between(old, $0) != nil })
            fits = EvolutionGenerator.retype(&next, place, type)
            if !fits {
                // The declaration keeps the type, to test that the store refuses it.
                next.fields[place].type = type
                next.fields[place].defaultValue = nil
            }
        }
        for place in next.fields.indices where next.fields[place].index == .unique {
            if !isDistinct(next, place) { fits = false }
        }
        let isTrial = generator.random.oneIn(3)
        log.append("migrate \(isTrial) \(next.schema)")
        let report = try store.migrate(to: [next.schema], isTrial: isTrial)
        #expect((report[0].misfitCount == 0) == fits, "\(report) \(place)")
        if fits, !isTrial {
            let names = Set(next.fields.map(\.name))
            pasts.migrate(to: next)
            for id in next.records.keys { next.records[id] = next.records[id]?.filter { names.contains($0.key) } }
            model = next
        }
    }

    private func reopen() throws {
        log.append("reopen")
        store.close()
        store = try Store(at: folder.path, records: [])
    }

    private func isDistinct(_ model: EvolvingModel, _ place: Int) -> Bool {
        isDistinct(model.records, of: model.fields[place])
    }

    private func isDistinct(_ records: EvolvingModel.Records, of field: EvolvingModel.Field) -> Bool {
        let values = records.values.compactMap { $0[field.name] }.filter { $0 != .none }
        return Set(values).count == values.count
    }

    // MARK: Comparison

    /// Checks the content of the store at an earlier position, and records its current content.
    private func comparePast() throws {
        if let position = pasts.unfit.last {
            log.append("at \(position.sequence)")
            let error = storeError { try store.read(at: position) { _ in } }
            #expect(error?.code == .historyUnavailable, "\(String(describing: error)) \(place)")
            let refusal = revert(to: position)
            #expect(refusal?.code == .historyUnavailable, "\(String(describing: refusal)) \(place)")
        }
        if let moment = pasts.moments.randomElement(using: &generator.random) {
            log.append("at \(moment.position.sequence)")
            let isTold = model.fields.indices.allSatisfy { place in
                model.fields[place].index != .unique || isDistinct(moment.records, of: model.fields[place])
            }
            let expected = moment.records.sorted { $0.key < $1.key }.map { dynamic($0.key, $0.value) }
            let error = storeError {
                try store.read(at: moment.position) { tx in try compare(tx, expected, moment.records) }
            }
            #expect(error?.code == (isTold ? nil : .historyUnavailable), "\(String(describing: error)) \(place)")
            if generator.random.oneIn(3) {
                let refusal = revert(to: moment.position)
                #expect(refusal?.code == (isTold ? nil : .uniqueViolation), "\(String(describing: refusal)) \(place)")
                if isTold { model.records = moment.records }
                try compare()
            }
        }
        if generator.random.oneIn(3) { pasts.add(try store.position, model.records) }
    }

    /// Returns the error of a revert; nil if there is none.
    private func revert(to position: Position) -> StoreError? {
        log.append("revert \(position.sequence)")
        return storeError { _ = try store.write { try $0.revert(to: position) } }
    }

    private func dynamic(_ id: Int64, _ values: [String: DynamicValue]) -> DynamicRecord {
        DynamicRecord(values: type.fields.map { $0.name == "id" ? .int(id) : values[$0.name] ?? .none })
    }

    private func compare() throws {
        #expect(Set(type.fields.map(\.name)) == Set(model.fields.map(\.name) + ["id"]), "\(place)")
        let expected = model.records.sorted { $0.key < $1.key }.map { dynamic($0.key, $0.value) }
        try store.read { tx in try compare(tx, expected, model.records) }
    }

    private func compare(
        _ tx: borrowing ReadTransaction, _ expected: [DynamicRecord], _ records: EvolvingModel.Records
    ) throws {
        var found: [DynamicRecord] = []
        try tx._reading.forEachDynamic(typeIndex: 0) { record in
            found.append(record)
            return true
        }
        try requireSame(found, expected, "\(place)")
        for field in model.fields where field.index != nil {
            let value = generator.value(field.type)
            var request = Request()
            request.condition = .comparison(FieldName(field.name), .equal, value)
            let count = try tx._reading.count(request, typeIndex: 0)
            #expect(count == records.values.count { $0[field.name] == value }, "\(field.name) == \(value) \(place)")
        }
    }
}
