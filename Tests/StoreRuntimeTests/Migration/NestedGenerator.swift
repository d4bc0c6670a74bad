import StoreEngine
import TestSupport

/// Makes random shapes, values of them, and changes that opening a store accepts without a migration.
struct NestedGenerator {
    var random: TestRandom
    private var number = 0

    init(random: TestRandom) { self.random = random }

    // MARK: Shapes and values

    mutating func shape(depth: Int) -> NestedShape {
        if depth == 0 { return .scalar(random.pick(EvolvingModel.scalars)) }
        switch random.below(7) {
        case 0: return .scalar(random.pick(EvolvingModel.scalars))
        case 1:
            let inner = shape(depth: depth - 1)
            return inner.isOptional ? inner : .optional(inner)
        case 2: return .array(shape(depth: depth - 1))
        case 3: return .set(shape(depth: depth - 1))
        case 4: return .dictionary(random.pick([.string, .int8, .uint16]), shape(depth: depth - 1))
        default: return structure(depth: depth)
        }
    }

    mutating func structure(depth: Int) -> NestedShape {
        .structure(
            (0...random.below(3)).map { _ in
                number += 1
                return NestedShape.Member(number: number, name: "m\(number)", shape: shape(depth: depth - 1))
            })
    }

    mutating func value(_ shape: NestedShape) -> NestedValue {
        switch shape {
        case .scalar(let type):
            var generator = EvolutionGenerator(random: random)
            defer { random = generator.random }
            return .scalar(generator.value(type))
        case .optional(let inner): return random.oneIn(3) ? .none : value(inner)
        case .array(let inner): return .list((0..<random.below(4)).map { _ in value(inner) })
        case .set(let inner): return .set(Set((0..<random.below(4)).map { _ in value(inner) }))
        case .dictionary(let key, let inner):
            var pairs: [DynamicValue: NestedValue] = [:]
            for _ in 0..<random.below(4) {
                if case .scalar(let key) = value(.scalar(key)) { pairs[key] = value(inner) }
            }
            return .pairs(pairs)
        case .structure(let members):
            return .fields(Dictionary(uniqueKeysWithValues: members.map { ($0.number, value($0.shape)) }))
        }
    }

    // MARK: Changes

    /// Returns the shape with one field dropped, or with other changes. It does not change and drop a field at once: the store
    /// would never see the change.
    mutating func evolved(_ shape: NestedShape) -> NestedShape {
        if random.oneIn(4) { return changed(shape, in: Surroundings(leavesOut: true)) }
        return (0...random.below(2)).reduce(shape) { shape, _ in changed(shape, in: Surroundings()) }
    }

    private struct Surroundings {
        var leavesOut = false
        /// Whether a container distinguishes its elements by this value.
        var isDistinct = false
        var isInOptional = false

        func inside(optional: Bool = false, distinct: Bool = false) -> Surroundings {
            Surroundings(leavesOut: leavesOut, isDistinct: isDistinct || distinct, isInOptional: optional)
        }
    }

    private mutating func changed(_ shape: NestedShape, in place: Surroundings) -> NestedShape {
        switch shape {
        case .scalar(let type): return place.leavesOut ? shape : widened(type, place)
        case .optional(let inner): return .optional(changed(inner, in: place.inside(optional: true)))
        case .array(let inner): return .array(changed(inner, in: place.inside()))
        case .set(let inner): return .set(changed(inner, in: place.inside(distinct: true)))
        case .dictionary(let key, let inner):
            if !place.leavesOut, random.oneIn(3),
                case .scalar(let wide) = widened(key, Surroundings(isInOptional: true))
            {
                return .dictionary(wide, inner)
            }
            return .dictionary(key, changed(inner, in: place.inside()))
        case .structure(let members): return .structure(changed(members, place))
        }
    }

    private mutating func widened(_ type: FieldType, _ place: Surroundings) -> NestedShape {
        let types = EvolvingModel.wider(type).filter { !place.isInOptional || !$0.isOptional }
        guard !types.isEmpty else { return .scalar(type) }
        let wide = random.pick(types)
        return wide.isOptional ? .optional(.scalar(wide.unwrapped)) : .scalar(wide)
    }

    private mutating func changed(_ members: [NestedShape.Member], _ place: Surroundings) -> [NestedShape.Member] {
        var members = members
        let declared = members.indices.filter { members[$0].isDeclared }
        let undeclared = members.indices.filter { !members[$0].isDeclared }
        let chosen = random.pick(declared)
        if place.leavesOut {
            if place.isDistinct || declared.count == 1 || random.oneIn(3) {
                members[chosen].shape = changed(members[chosen].shape, in: place.inside())
            } else {
                members[chosen].isDeclared = false
                if members[chosen].defaultValue == nil, !members[chosen].shape.isOptional {
                    members[chosen].shape = .optional(members[chosen].shape)
                }
            }
            return members
        }
        switch random.below(6) {
        case 0: members.insert(newMember(), at: random.below(members.count + 1))
        case 1:
            number += 1
            members[chosen].oldNames.insert(members[chosen].name, at: 0)
            members[chosen].name = "m\(number)"
        case 2 where !undeclared.isEmpty: members[random.pick(undeclared)].isDeclared = true
        case 3: members.shuffle(using: &random)
        default:
            let old = members[chosen].shape
            members[chosen].shape = changed(old, in: place.inside())
            members[chosen].defaultValue = members[chosen].defaultValue.map {
                $0.adapted(from: old, to: members[chosen].shape)
            }
        }
        return members
    }

    private mutating func newMember() -> NestedShape.Member {
        number += 1
        let shape = shape(depth: random.below(3))
        var member = NestedShape.Member(number: number, name: "m\(number)", shape: shape)
        switch shape {
        case .optional: break
        case .scalar: member.defaultValue = value(shape)
        case .array: member.defaultValue = .list([])
        case .set: member.defaultValue = .set([])
        case .dictionary: member.defaultValue = .pairs([:])
        case .structure: member.shape = .optional(shape)
        }
        return member
    }
}
