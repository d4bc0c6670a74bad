package import Foundation
package import StoreEngine

/// The contents of one line of a trace.
package enum TraceFrame: Sendable {
    /// A record from before the beginning of the trace.
    case row(TraceRow)
    /// A change set.
    case commit(TraceCommit)
    /// The store published a position to models and live results. The change sets since the position published before were one
    /// step.
    case shown(UInt64)
    /// A subscription to a live query began.
    case subscribed(TraceSubscription)
    /// A subscriber received an update.
    case delivered(TraceDelivery)
    /// A subscription ended, given by its number.
    case unsubscribed(Int)
    /// A scope was opened, given by its path of names.
    case opened(String)
    /// A scope was closed, given by its path of names.
    case closed(String)
    /// The program advanced an injected clock by a duration.
    case advanced(Duration)
}

/// A record from before the beginning of the trace.
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
    /// Its chained hash; nil if fields were redacted.
    package var hash: UInt64?
    package var action: RecordedAction?
    package var changes: [TraceChange]
}

/// One change of a change set.
package enum TraceChange: Sendable, Hashable {
    case insert(type: String, record: JSONValue)
    /// `set` has the new values of the changed fields, `was` their old values. A field that the record did not have is missing in
    /// `was`.
    case update(type: String, id: JSONValue, set: [JSONMember], was: [JSONMember])
    case delete(type: String, record: JSONValue)
    case schema(RecordType)
    /// A reset of one type, or of all types if there is no name.
    case reset(type: String?)
}

/// A subscription to a live query.
package struct TraceSubscription: Sendable {
    package var number: Int
    package var typeName: String
    /// The request as text; nil if it cannot be written as an expression.
    package var request: TraceRequest?
    /// Whether the subscription is to the number of records only.
    package var isCount: Bool
    /// Why its deliveries are not in the trace; nil if they are.
    package var omission: String?
}

/// A fetch request as text.
package struct TraceRequest: Sendable, Hashable {
    package var condition: String
    package var order: String
    package var limit: Int?
    package var offset: Int
    /// The fields whose changes are delivered; nil for all.
    package var fields: [String]?
}

/// An update that a subscriber received.
package struct TraceDelivery: Sendable, Hashable {
    /// The subscription's number.
    package var number: Int
    /// The position of the step that delivered it.
    package var sequence: UInt64
    package var content: Content

    package enum Content: Sendable, Hashable {
        /// All rows: for the first delivery, and for a reset.
        case rows([JSONValue])
        case changes([JSONValue])
        case count(Int)
    }
}
