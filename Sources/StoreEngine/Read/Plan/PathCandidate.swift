/// A path to the records that may meet a condition, and the ranges of its keys that the condition allows.
struct PathCandidate: Sendable {
    /// The number of the index among the type's indexes; nil for the records in the order of ids.
    let indexNumber: Int?
    let parts: [KeyPart]
    /// The ranges of keys. No record outside of them can meet the condition.
    var ranges: KeyRanges
    /// The number of leading parts that the condition fixes to one value each.
    let fixedCount: Int
    /// The number of leading parts that the ranges restrict.
    let boundCount: Int
    /// Whether each range holds at most one record.
    let isUnique: Bool
    /// Whether bounds were cut, so that the ranges hold more keys than the condition allows.
    let isClipped: Bool
    /// The element test that the single range was made from; nil for a path without an entry for each element.
    var element: ConditionNode?
    /// Whether the path answers only one part of an `||`. Its estimate then does not apply to the whole condition.
    var isOfBranch = false

    var path: Plan.Path { indexNumber.map { .index($0) } ?? .records }

    /// Whether the path leads to all records.
    var isWhole: Bool { boundCount == 0 }

    /// The indexes of the fields that the ranges restrict.
    var boundFieldIndexes: [Int] { parts.prefix(boundCount).map(\.fieldIndex) }
}

/// Finds the paths that can answer a condition.
struct CandidateFinder {
    let type: OpenType
    private let condition: ConditionNode
    /// The ranges that the condition allows for each field that it names.
    private var known: [(fieldIndex: Int, ranges: KeyRanges)] = []

    /// The most ranges that the combinations of several fields' values may make.
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

    /// The records in the order of ids, restricted by the known ranges of the id.
    var records: PathCandidate { candidate(nil, type.idParts, isUnique: true) }

    /// Whether an index can answer the condition.
    ///
    /// An index with an entry for each element lacks the records without elements and has other records more than once. It can
    /// answer the condition only where the condition tests for one element.
    func answers(_ indexNumber: Int) -> Bool { !type.indexes[indexNumber].isMultiple || element(indexNumber) != nil }

    /// Returns an element test that every matching record must pass, and the range of its entries. If the condition has two such
    /// tests, the result is the first one, and the records are tested for the other.
    private func element(_ indexNumber: Int) -> (test: ConditionNode, range: KeyRange)? {
        let ranges = ConditionRanges(type: type.type, part: type.indexes[indexNumber].parts[0])
        guard let (test, key) = ranges.element(condition) else { return nil }
        // Long values are stored truncated, and one record may have two values with the same beginning.
        return key.count < KeyLimit.indexValue ? (test, .prefixed(by: key, isPoint: true)) : nil
    }

    /// Whether the condition restricts a field.
    func isBound(_ fieldIndex: Int) -> Bool { known.contains { $0.fieldIndex == fieldIndex } }

    /// Returns the candidate for an index, restricted by the known ranges of its fields.
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
            // Uniqueness does not apply to records without a value.
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

    /// Cuts bounds to the bytes that every truncated key keeps, because long keys are stored truncated. Returns nil where no
    /// bound is longer.
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
    /// Returns the indexes of the fields that the condition names on their own, each once.
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
