/// The state that a write requires under its id.
@usableFromInline
package enum WriteMode: Sendable {
    /// No record.
    case insert
    /// A record.
    case update
    /// Either.
    case upsert
}
