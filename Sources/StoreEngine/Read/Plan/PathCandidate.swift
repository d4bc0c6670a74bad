/// One way to the records that may meet a condition, and what the condition says of its keys.
struct PathCandidate: Sendable {
    /// The index, by its place among the type's; nil for the records in the order of ids.
    let indexNumber: Int?
    let parts: [KeyPart]
    /// The runs of keys outside of which no record can meet the condition.
    var ranges: KeyRanges
    /// The number of leading parts that are fixed to one value each.
    let fixedCount: Int
    /// The number of parts that the ranges speak of.
    let boundCount: Int
    /// Whether each range holds one record at most.
    let isUnique: Bool
    /// Whether bounds were cut, so that the ranges hold more than was asked for.
    let isClipped: Bool
    /// The test of an element that the one range is of; nil for a path that has no entry for each element.
    var element: ConditionNode?
    /// Whether it answers one part of an `||` only, and so says nothing of the whole condition.
    var isOfBranch = false

    var path: Plan.Path { indexNumber.map { .index($0) } ?? .records }

    /// Whether it leads to all records.
    var isWhole: Bool { boundCount == 0 }

    /// The places of the fields that the ranges speak of.
    var boundFieldIndexes: [Int] { parts.prefix(boundCount).map(\.fieldIndex) }
}

/// Finds the paths that can answer a condition.
struct CandidateFinder {
    let type: OpenType
    private let condition: ConditionNode
    /// What the condition says of each field that it names.
    private var known: [(fieldIndex: Int, ranges: KeyRanges)] = []

    /// The most ranges that values of several fields are combined to.
    private static let maximumRanges = 256

    init(_ type: OpenType, _ condition: ConditionNode) {
        self.type = type
        self.condition = condition
        for fieldIndex in condition.fieldIndexes(in: type.type) {
            guard let component = KeyComponent(type.type.fields[fieldIndex].type) else { continue }
            let ranges = ConditionRanges(type: type.type, part: KeyPart(fieldIndex: fieldIndex, component: component))
            let own = ranges.ranges(condition)
            if !own.isAll { known.append((fieldIndex, own)) }
        }
    }

    /// The records in the order of ids, by what is known of the ids.
    var records: PathCandidate { candidate(nil, type.idParts, isUnique: true) }

    /// Whether an index can answer the condition. One with an entry for each element lacks the records without elements and
    /// has others more than once: it can where the condition asks for one element.
    func answers(_ indexNumber: Int) -> Bool { !type.indexes[indexNumber].isMultiple || element(indexNumber) != nil }

    /// The test of the element that every record must hold that meets the condition, and the entries of that. Of two that
    /// are both asked for it is the first, and the other is tested.
    private func element(_ indexNumber: Int) -> (test: ConditionNode, range: KeyRange)? {
        let ranges = ConditionRanges(type: type.type, part: type.indexes[indexNumber].parts[0])
        guard let (test, key) = ranges.element(condition) else { return nil }
        // Long values are stored truncated, and one record may hold two that begin alike.
        return key.count < KeyLimit.indexValue ? (test, .prefixed(by: key, isPoint: true)) : nil
    }

    /// Whether something is known of a field.
    func isBound(_ fieldIndex: Int) -> Bool { known.contains { $0.fieldIndex == fieldIndex } }

    /// An index, by what is known of its fields.
    func index(_ indexNumber: Int) -> PathCandidate {
        let index = type.indexes[indexNumber]
        if let (test, range) = index.isMultiple ? element(indexNumber) : nil {
            return PathCandidate(
                indexNumber: indexNumber, parts: index.parts, ranges: KeyRanges([range]), fixedCount: 1, boundCount: 1,
                isUnique: false, isClipped: false, element: test)
        }
        return candidate(indexNumber, index.parts, isUnique: index.stored.isUnique)
    }

    private func candidate(_ indexNumber: Int?, _ parts: [KeyPart], isUnique: Bool) -> PathCandidate {
        var prefixes: [[UInt8]] = [[]]
        var ranges: KeyRanges?
        var (fixedCount, boundCount) = (0, 0)
        var hasNone = false
        for (number, part) in parts.enumerated() {
            guard let own = known.first(where: { $0.fieldIndex == part.fieldIndex })?.ranges else { break }
            boundCount = number + 1
            // Records without a value are exempt from uniqueness.
            if case .optional = part.component, own.ranges.first?.lower == [0] { hasNone = true }
            guard own.arePoints, own.ranges.count * prefixes.count <= Self.maximumRanges else {
                ranges = number == 0 ? own : KeyRanges(prefixes.flatMap { own.prefixed(by: $0) })
                break
            }
            if own.ranges.count == 1, fixedCount == number { fixedCount += 1 }
            prefixes = prefixes.flatMap { prefix in own.ranges.map { prefix + $0.lower } }
        }
        let isWhole = ranges == nil && boundCount == parts.count
        let unclipped = boundCount == 0 ? .all : ranges ?? KeyRanges(prefixes.map { .prefixed(by: $0) })
        let clipped = self.clipped(unclipped, isIndex: indexNumber != nil)
        return PathCandidate(
            indexNumber: indexNumber, parts: parts, ranges: clipped ?? unclipped, fixedCount: fixedCount,
            boundCount: boundCount,
            isUnique: isUnique && isWhole && !hasNone && clipped == nil, isClipped: clipped != nil)
    }

    /// Long keys are stored truncated: bounds are cut to what all of them keep. Nil where none is longer.
    private func clipped(_ ranges: KeyRanges, isIndex: Bool) -> KeyRanges? {
        let kept = isIndex ? KeyLimit.indexValueBeginning : KeyLimit.recordKeyBeginning
        guard ranges.ranges.contains(where: { $0.lower.count > kept || $0.upper.map { $0.count > kept } ?? false })
        else { return nil }
        return KeyRanges(
            ranges.ranges.map { range in
                var range = range
                range.isPoint = false
                if range.lower.count > kept { range.lower = Array(range.lower[..<kept]) }
                if let upper = range.upper, upper.count > kept {
                    range.upper = KeyRange.successor(of: Array(upper[..<kept]))
                }
                return range
            })
    }
}

extension ConditionNode {
    /// The places of the fields that are named by themselves, each once.
    func fieldIndexes(in type: RecordType) -> [Int] {
        var fieldIndexes: [Int] = []
        collectFieldIndexes(type, &fieldIndexes)
        return fieldIndexes
    }

    private func collectFieldIndexes(_ type: RecordType, _ fieldIndexes: inout [Int]) {
        switch self {
        case .comparison(let name, _, _), .membership(let name, _), .text(let name, _, _, _):
            guard let single = name.single, let fieldIndex = type.fieldIndex(named: single),
                !fieldIndexes.contains(fieldIndex)
            else { return }
            fieldIndexes.append(fieldIndex)
        case .and(let parts), .or(let parts): for part in parts { part.collectFieldIndexes(type, &fieldIndexes) }
        case .not(let part): part.collectFieldIndexes(type, &fieldIndexes)
        case .found:
            guard let fieldIndex = type.idFields.first.flatMap(type.fieldIndex(ofID:)),
                !fieldIndexes.contains(fieldIndex)
            else { return }
            fieldIndexes.append(fieldIndex)
        case .constant, .fieldComparison, .arithmetic, .element, .elements, .size, .inverse, .invalid: return
        }
    }
}
