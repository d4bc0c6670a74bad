/// Finds the route of a live request that lets it skip the most records.
///
/// The best routes are points of the id or of a unique index. Otherwise the keys begin with all fields that the condition fixes
/// to points. One more field follows, where there is one, in this order of preference:
///
/// 1. a field that the condition bounds on both sides
/// 2. the first field of the order, up to the window's bound
/// 3. a field that the condition bounds on one side
///
/// Without any of these, the request checks every change of a record of the type.
struct RouteFinder: Sendable {
    /// The fields that are fixed to certain values, with the keys of all combinations of these values.
    fileprivate struct Points {
        var fieldIndexes: [Int] = []
        var keys: [[UInt8]] = [[]]
    }

    private let type: OpenType
    private let sort: [SortPart]
    private let fixed: LiveRoute
    /// The field by which the route of a window with a bound is narrower; nil where there is none.
    private let boundPart: LiveRoute.Part?
    /// The parts of the keys before that field.
    private let prefixes: [[UInt8]]
    private let prefixParts: [LiveRoute.Part]
    /// The ranges that the condition allows for that field, in the direction of the order.
    private let boundRanges: KeyRanges

    /// The most keys of several fields by which one request is found.
    private static let maximumKeys = 64
    /// The most keys of a single field. A list of values takes the same memory once more.
    private static let maximumPoints = 65_536

    init(_ plan: LivePlan) {
        type = plan.type
        sort = plan.sort
        let condition = plan.request.condition
        var ranges: [(fieldIndex: Int, ranges: KeyRanges)] = []
        for (fieldIndex, field) in type.type.fields.enumerated() {
            guard let component = KeyComponent(field.type) else { continue }
            let found = ConditionRanges(type: type.type, part: KeyPart(fieldIndex: fieldIndex, component: component))
                .ranges(condition)
            if !found.isAll { ranges.append((fieldIndex, found)) }
        }
        if ranges.contains(where: { $0.ranges.ranges.isEmpty }) || plan.neededCount == 0 {
            fixed = .none
            (boundPart, prefixes, prefixParts, boundRanges) = (nil, [], [], .all)
            return
        }
        let pointed = ranges.filter { $0.ranges.arePoints }
        if let points = RouteFinder.uniquePoints(type, pointed) {
            fixed = RouteFinder.route(points)
            (boundPart, prefixes, prefixParts, boundRanges) = (nil, [], [], .all)
            return
        }
        var points = Points()
        for (fieldIndex, ranges) in pointed {
            points.multiply(
                fieldIndex, ranges, limit: points.fieldIndexes.isEmpty ? Self.maximumPoints : Self.maximumKeys)
        }
        prefixes = points.keys
        prefixParts = points.fieldIndexes.map { LiveRoute.Part(fieldIndex: $0) }
        // A field that is fixed to one value does not order the rows. A field that is fixed to several values does: rows with one
        // of them come before the window's bound, whatever their later sort fields are.
        let single = Set(pointed.filter { $0.ranges.ranges.count == 1 }.map(\.fieldIndex))
        let first = sort.first { part in !(part.isOwn && single.contains(part.access.fieldIndex)) }
        let bound = first.flatMap { part in
            part.isOwn && !points.fieldIndexes.contains(part.access.fieldIndex)
                ? LiveRoute.Part(fieldIndex: part.access.fieldIndex, isDescending: part.isDescending) : nil
        }
        let keyCount = points.keys.count
        let others = ranges.filter {
            !$0.ranges.arePoints && keyCount * $0.ranges.ranges.count <= Self.maximumKeys
        }
        let twoSided = others.first { $0.ranges.ranges.allSatisfy { $0.upper != nil && !$0.lower.isEmpty } }
        let ofBound = others.first { $0.fieldIndex == bound?.fieldIndex }
        boundRanges = bound?.isDescending == false ? ofBound?.ranges ?? .all : .all
        if let narrow = twoSided ?? others.first {
            fixed = LiveRoute(
                parts: prefixParts + [LiveRoute.Part(fieldIndex: narrow.fieldIndex)],
                keys: .ranges(points.keys.flatMap { narrow.ranges.prefixed(by: $0) }))
        } else {
            fixed = points.fieldIndexes.isEmpty ? .all : RouteFinder.route(points)
        }
        let isBoundNarrower =
            twoSided == nil || twoSided?.fieldIndex == bound?.fieldIndex && bound?.isDescending == false
        boundPart = isBoundNarrower ? bound : nil
    }

    /// Returns the route of a window.
    func route(_ window: LiveWindow) throws(CodecError) -> LiveRoute {
        guard !window.isExhausted, let bound = window.bound, let boundPart else { return fixed }
        let key = try RouteKeys([boundPart], type).key(bound.content)
        let upTo = KeyRanges([KeyRange(lower: [], upper: KeyRange.successor(of: key))])
        let ranges = boundRanges.intersection(upTo)
        guard prefixes.count * ranges.ranges.count <= Self.maximumKeys else { return fixed }
        return LiveRoute(
            parts: prefixParts + [boundPart], keys: .ranges(prefixes.flatMap { ranges.prefixed(by: $0) }))
    }

    /// The route of a request without a window.
    var wholeRoute: LiveRoute { fixed }

    private static func route(_ points: Points) -> LiveRoute {
        LiveRoute(parts: points.fieldIndexes.map { LiveRoute.Part(fieldIndex: $0) }, keys: .points(points.keys))
    }

    /// Returns the points of the id, or else of a unique index, where the condition fixes all of its fields.
    private static func uniquePoints(_ type: OpenType, _ fixed: [(fieldIndex: Int, ranges: KeyRanges)]) -> Points? {
        let unique = type.indexes.filter { $0.stored.isUnique && !$0.isMultiple }.map { $0.parts.map(\.fieldIndex) }
        for fieldIndexes in [type.idParts.map(\.fieldIndex)] + unique {
            var points = Points()
            for fieldIndex in fieldIndexes {
                guard let ranges = fixed.first(where: { $0.fieldIndex == fieldIndex })?.ranges else { break }
                points.multiply(fieldIndex, ranges, limit: fieldIndexes.count == 1 ? maximumPoints : maximumKeys)
            }
            if points.fieldIndexes == fieldIndexes { return points }
        }
        return nil
    }
}

extension RouteFinder.Points {
    /// Appends a field to the keys, unless there would be too many combinations.
    fileprivate mutating func multiply(_ fieldIndex: Int, _ ranges: KeyRanges, limit: Int) {
        guard keys.count * ranges.ranges.count <= limit else { return }
        fieldIndexes.append(fieldIndex)
        keys = keys.flatMap { key in ranges.ranges.map { key + $0.lower } }
    }
}

extension SortPart {
    /// Whether the sort field belongs to the record itself, and not to a struct in it or to another record.
    fileprivate var isOwn: Bool { path == nil && access.nested.isEmpty }
}
