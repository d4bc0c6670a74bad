import StoreEngine
import TestSupport

/// Random changes of an ``EvolvingModel``.
struct EvolutionGenerator {
    var random: TestRandom

    /// Returns a value of a type.
    mutating func value(_ type: FieldType) -> DynamicValue {
        if case .optional(let wrapped) = type { return random.oneIn(3) ? .none : value(wrapped) }
        switch type {
        case .bool: return .bool(random.oneIn(2))
        case .int8, .int16, .int32, .int64:
            return EvolvingModel.converted(.int(random.pick([-128, -1, 0, 1, 2, 3, 100, 127])), to: type) ?? .int(0)
        case .uint8, .uint16, .uint32, .uint64: return .uint(random.pick([0, 1, 2, 3, 100, 127, 128, 255]))
        case .float: return .float(random.pick([-1.5, 0, 0.25, 1, 2, 3, 100]))
        case .double: return .double(random.pick([-1.5, 0, 0.25, 1, 2, 3, 100, 1e9]))
        case .enumeration(_, let cases?): return .string(random.pick(cases.rawValues))
        default: return .string(random.pick(["", "a", "b", "c2", "long" + String(repeating: "x", count: 300)]))
        }
    }

    /// Returns a field that existing records need no value for.
    mutating func field(_ name: String) -> EvolvingModel.Field {
        let type = random.pick(EvolvingModel.scalars)
        if random.oneIn(2) { return EvolvingModel.Field(name: name, type: .optional(type)) }
        return EvolvingModel.Field(name: name, type: type, defaultValue: value(type))
    }

    /// Returns the model after a declaration that opening a store accepts without a migration.
    mutating func evolve(_ model: EvolvingModel) -> EvolvingModel {
        var next = model
        // A declaration does not change and drop a field at once: the store would never see the change.
        if random.oneIn(5) {
            undeclare(&next)
        } else {
            for _ in 0...random.below(2) { change(&next) }
        }
        return next
    }

    private mutating func change(_ model: inout EvolvingModel) {
        let declared = model.fields.indices.filter { model.fields[$0].isDeclared }
        let undeclared = model.fields.indices.filter { !model.fields[$0].isDeclared }
        switch random.below(7) {
        case 0, 1:
            var added = field(model.newName())
            if random.oneIn(3) { added.index = .plain }
            model.fields.append(added)
            for id in model.records.keys { model.records[id]?[added.name] = added.defaultValue ?? DynamicValue.none }
        case 2 where !declared.isEmpty: rename(&model, random.pick(declared))
        case 3 where !declared.isEmpty: widen(&model, random.pick(declared))
        case 4 where !undeclared.isEmpty: model.fields[random.pick(undeclared)].isDeclared = true
        case 5, 6:
            guard !declared.isEmpty else { return }
            let place = random.pick(declared)
            if model.fields[place].index == nil { model.fields[place].index = random.oneIn(3) ? .unique : .plain }
        default: return
        }
    }

    private mutating func undeclare(_ model: inout EvolvingModel) {
        let declared = model.fields.indices.filter { model.fields[$0].isDeclared }
        if declared.isEmpty { return }
        let place = random.pick(declared)
        model.fields[place].isDeclared = false
        if model.fields[place].defaultValue == nil, !model.fields[place].type.isOptional {
            model.fields[place].type = .optional(model.fields[place].type)
        }
    }

    private mutating func rename(_ model: inout EvolvingModel, _ place: Int) {
        let old = model.fields[place].name
        let new = model.newName()
        model.fields[place].name = new
        model.fields[place].oldNames.insert(old, at: 0)
        for id in model.records.keys {
            let value = model.records[id]?.removeValue(forKey: old)
            model.records[id]?[new] = value
        }
    }

    private mutating func widen(_ model: inout EvolvingModel, _ place: Int) {
        let types = EvolvingModel.wider(model.fields[place].type)
        if !types.isEmpty { _ = Self.retype(&model, place, random.pick(types)) }
    }

    /// Gives a field another type. Returns false if a value cannot be converted.
    static func retype(_ model: inout EvolvingModel, _ place: Int, _ type: FieldType) -> Bool {
        let name = model.fields[place].name
        var converted: [Int64: DynamicValue] = [:]
        for (id, record) in model.records {
            guard let value = EvolvingModel.converted(record[name] ?? .none, to: type) else { return false }
            converted[id] = value
        }
        if let value = model.fields[place].defaultValue {
            model.fields[place].defaultValue = EvolvingModel.converted(value, to: type)
        }
        model.fields[place].type = type
        for (id, value) in converted { model.records[id]?[name] = value }
        return true
    }
}
