package import Foundation
package import StoreEngine

/// What one line of a trace tells.
package enum TraceFrame: Sendable {
    /// A record that was there before the trace begins.
    case row(TraceRow)
    /// A change set.
    case commit(TraceCommit)
    /// Models and live results show a position: the change sets before it, up to the one shown before, were one step.
    case shown(UInt64)
    /// Somebody subscribed to a live query.
    case subscribed(TraceSubscription)
    /// A subscriber was given an update.
    case delivered(TraceDelivery)
    /// A subscription, by its number, ended.
    case unsubscribed(Int)
    /// A scope, by its path of names, was opened.
    case opened(String)
    /// A scope, by its path of names, was closed.
    case closed(String)
    /// An injected clock was set forward by so many attoseconds.
    case advanced(Duration)
}

/// A record that was there before.
package struct TraceRow: Sendable {
    package var typeName: String
    package var incarnation: UInt64
    package var record: JSONValue
}

/// A change set.
package struct TraceCommit: Sendable {
    package var sequence: UInt64
    package var time: Date
    package var originName: String
    package var processID: Int32
    package var epoch: UInt64
    /// Its chained hash; nil where fields were redacted.
    package var hash: UInt64?
    package var action: RecordedAction?
    package var changes: [TraceChange]
}

/// One change of a change set.
package enum TraceChange: Sendable, Hashable {
    case insert(type: String, record: JSONValue)
    /// `set` has the changed fields as they became, `was` as they were; none where the record did not have them.
    case update(type: String, id: JSONValue, set: [JSONMember], was: [JSONMember])
    case delete(type: String, record: JSONValue)
    case schema(RecordType)
    /// Of all types where there is no name.
    case reset(type: String?)
}

/// A subscription to a live query.
package struct TraceSubscription: Sendable {
    package var number: Int
    package var typeName: String
    /// What is asked for, as text; nil where an expression cannot say it.
    package var request: TraceRequest?
    /// Whether only the number of records is of interest.
    package var isCount: Bool
    /// Why its deliveries are not in the trace; nil where they are.
    package var omission: String?
}

/// A fetch request as text.
package struct TraceRequest: Sendable, Hashable {
    package var condition: String
    package var order: String
    package var limit: Int?
    package var offset: Int
    /// The fields whose changes are told; nil for all.
    package var fields: [String]?
}

/// An update that a subscriber was given.
package struct TraceDelivery: Sendable, Hashable {
    /// The subscription's number.
    package var number: Int
    /// The position of the step that made it.
    package var sequence: UInt64
    package var content: Content

    package enum Content: Sendable, Hashable {
        /// All rows: the first delivery, and one where more changed than there are rows.
        case rows([JSONValue])
        case changes([JSONValue])
        case count(Int)
    }
}
