/// The keys of some fields by which the matcher finds a live request. The request checks a change only if the record has one of
/// these keys before or after the change.
struct LiveRoute: Hashable, Sendable {
    /// A field of the keys.
    struct Part: Hashable, Sendable {
        /// The index of the field in the record.
        let fieldIndex: Int
        /// Whether the bytes are inverted, as for a descending order.
        var isDescending = false
    }

    /// The keys that lead to the request.
    enum Keys: Hashable, Sendable {
        /// No keys: no record can be in the result.
        case none
        /// Exactly these keys.
        case points([[UInt8]])
        /// The keys in these ranges.
        case ranges([KeyRange])
        /// All keys, of all records of the type.
        case all
    }

    /// The fields, the most significant first. Empty for ``Keys/none`` and ``Keys/all``.
    var parts: [Part] = []
    var keys: Keys

    static let none = LiveRoute(keys: .none)
    static let all = LiveRoute(keys: .all)
}

/// A description of how a live request is kept up to date.
package enum LiveRouting: Hashable, Sendable {
    /// Checks each change of a record that has one of certain values in these fields.
    case points(fields: [String])
    /// Checks each change of a record that lies in a range by these fields.
    case ranges(fields: [String])
    /// Checks each change of a record of the type.
    case wholeType
    /// Checks no change: no record can be in the result.
    case nothing
    /// Reruns the request for each step in which one of these fields changes, or a record of one of these types is inserted or
    /// deleted. A dependency without fields means all fields.
    case rerun([Dependency])

    /// The fields of one type that a request reads.
    package struct Dependency: Hashable, Sendable {
        /// The type's name.
        package let type: String
        /// The names of the fields.
        package let fields: [String]

        package init(type: String, fields: [String]) {
            self.type = type
            self.fields = fields
        }
    }
}

extension LiveRoute {
    /// Returns the description of the route.
    func routing(_ type: OpenType) -> LiveRouting {
        let fields = parts.map { type.type.fields[$0.fieldIndex].name }
        switch keys {
        case .none: return .nothing
        case .points: return .points(fields: fields)
        case .ranges: return .ranges(fields: fields)
        case .all: return .wholeType
        }
    }
}
