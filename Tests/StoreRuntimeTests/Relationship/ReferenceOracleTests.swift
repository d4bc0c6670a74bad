import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// References, compared with a naive implementation of their rules.
@Suite struct ReferenceOracleTests {
    @Test(.timeLimit(.minutes(20)), arguments: 0..<TestLength.runs(40, long: 2_000))
    func `random closures leave what the rules say, and nothing dangles`(run: Int) throws {
        let seed = UInt64(run) &* 7_919 &+ 11
        var scenario = ReferenceScenario(seed: seed)
        let store = try Store.temporary(records: [])
        defer { store.close() }
        try store.addTypes(scenario.schemas)
        var model = ReferenceModel(scenario.schemas)
        for number in 0..<60 {
            let operations = scenario.closure()
            let place = Brief("seed \(seed), closure \(number): \(operations)").description
            let before = model
            var expected: [Bool] = []
            for operation in operations { expected.append(model.apply(operation)) }
            let position = try store.read { try $0._reading.feedHead().sequence }
            do {
                let done = try store.write { tx in try operations.map { try tx.apply($0) } }
                #expect(done == expected, "\(place)")
                #expect(!model.isBroken, "\(place)")
            } catch let error as StoreError {
                #expect([.deleteDenied, .referenceBroken].contains(error.code), "\(place): \(error)")
                #expect(model.isBroken, "\(place): \(error)")
                model = before
            }
            try store.read { tx in
                let scope = tx._reading
                try compare(scope, model, place)
                try compareFeed(scope, since: position, before, model, place)
            }
            var findings: [VerifyFinding] = []
            try store.verify { findings.append($0) }
            #expect(findings.isEmpty, "\(place): \(findings)")
        }
    }

    private func compare(_ scope: borrowing ReadContext, _ model: ReferenceModel, _ place: String) throws {
        var found: [ReferenceModel.Key: [DynamicValue]] = [:]
        for type in model.schemas.indices {
            try scope.forEachDynamic(typeIndex: type) { record in
                found[ReferenceModel.Key(type: type, id: model.id(type, record.values))] = record.values
                return true
            }
        }
        try requireSame(Set(found.keys), Set(model.records.keys), "\(whole: place)")
        for (key, values) in found {
            for (index, field) in model.schemas[key.type].fields.enumerated() {
                guard let expected = model.records[key]?[index] else { continue }
                #expect(field.isEqual(values[index], expected), "\(place): \(key) \(field.name)")
            }
        }
    }

    /// Checks that the change set names exactly the records that differ, each with its kind.
    private func compareFeed(
        _ scope: borrowing ReadContext, since position: UInt64, _ before: ReferenceModel, _ after: ReferenceModel,
        _ place: String
    ) throws {
        var expected: [ChangeKind] = []
        for key in Set(before.records.keys).union(after.records.keys) {
            switch (before.records[key], after.records[key]) {
            case (nil, .some): expected.append(.insert)
            case (.some, nil): expected.append(.delete)
            case (let old?, let new?):
                let fields = after.schemas[key.type].fields
                if !fields.indices.allSatisfy({ fields[$0].isEqual(old[$0], new[$0]) }) { expected.append(.update) }
            case (nil, nil): break
            }
        }
        let head = try scope.feedHead().sequence
        guard head > position else {
            #expect(expected.isEmpty, "\(place)")
            return
        }
        let changes = try scope.feedEntry(head)?.changes.map(\.kind) ?? []
        #expect(
            changes.sorted { $0.rawValue < $1.rawValue } == expected.sorted { $0.rawValue < $1.rawValue }, "\(place)")
    }
}

extension FieldSchema {
    /// Returns whether two values of the field are equal; the elements of a set have no order.
    fileprivate func isEqual(_ left: DynamicValue, _ right: DynamicValue) -> Bool {
        if case .set = type.unwrapped, case .list(let first) = left, case .list(let second) = right {
            return Set(first) == Set(second)
        }
        return left == right
    }
}

extension ReferenceModel {
    fileprivate mutating func apply(_ operation: DynamicOperation) -> Bool {
        switch operation {
        case .put(let type, let record, let mode): put(type, record.values, mode) == nil
        case .delete(let type, let id): delete(Key(type: type, id: id.count == 1 ? id[0] : .fields(id)))
        }
    }
}
