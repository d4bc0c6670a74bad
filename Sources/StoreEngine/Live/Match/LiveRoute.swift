/// By which records a live request is found: the keys of some fields that a record must have, before or after its change, for
/// the request to look at it.
struct LiveRoute: Hashable, Sendable {
    /// One field of the keys.
    struct Part: Hashable, Sendable {
        /// The field's place in the record.
        let fieldIndex: Int
        /// Whether the bytes are turned around, as those of descending orders are.
        var isDescending = false
    }

    /// Which keys.
    enum Keys: Hashable, Sendable {
        /// None: no record can be of interest.
        case none
        /// Just these.
        case points([[UInt8]])
        /// Those in these runs.
        case ranges([KeyRange])
        /// All, of all records of the type.
        case all
    }

    /// The fields, the most significant first; empty with ``Keys/none`` and ``Keys/all``.
    var parts: [Part] = []
    var keys: Keys

    static let none = LiveRoute(keys: .none)
    static let all = LiveRoute(keys: .all)
}

/// How a live request is kept up to date, for people.
package enum LiveRouting: Hashable, Sendable {
    /// Each change of a record with one of some values in these fields is looked at.
    case points(fields: [String])
    /// Each change of a record that lies in a range by these fields.
    case ranges(fields: [String])
    /// Each change of a record of the type.
    case wholeType
    /// No change: no record can be in the result.
    case nothing
    /// It is run again for each step in which one of these fields changes, or a record of one of these types comes or goes.
    /// All fields are meant where none are named.
    case rerun([Dependency])

    /// The fields of one type that a request reads.
    package struct Dependency: Hashable, Sendable {
        /// The type's name.
        package let type: String
        /// Its fields.
        package let fields: [String]

        package init(type: String, fields: [String]) {
            self.type = type
            self.fields = fields
        }
    }
}

extension LiveRoute {
    /// The route, for people.
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
