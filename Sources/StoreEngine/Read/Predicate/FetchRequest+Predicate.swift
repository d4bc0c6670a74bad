public import Foundation

// Requests from Foundation's predicates.
extension FetchRequest {
    /// Creates a request for the records that meet a predicate: `FetchRequest(#Predicate<Sensor> { $0.room == "kitchen" })`.
    ///
    /// The predicate is translated as in ``where(_:)-(Predicate<R>)``.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`, which names the part that has no translation.
    public init(_ predicate: Predicate<R>) throws(StoreError) { self = try FetchRequest(R.self).where(predicate) }

    /// Adds a predicate: the result holds the records that also meet it.
    ///
    /// Where you have a choice, write a condition as a closure over field tokens. The compiler checks it in a fraction of the
    /// time.
    ///
    /// ## Differences from evaluating the predicate
    ///
    /// The request finds the records for which `evaluate` returns true, with these exceptions:
    ///
    /// - Texts are compared by Unicode scalars, as everywhere in a store. `é` as one scalar differs from `é` as two, and a text
    ///   contains the scalars of a part of a character.
    /// - Integers that overflow in the predicate do not overflow here.
    /// - Where `evaluate` throws, as with `!` on a nil value, the rest of the predicate decides, or the record is not found.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`, which names the part that has no translation and says what to write
    ///   instead.
    public func `where`(_ predicate: Predicate<R>) throws(StoreError) -> FetchRequest {
        var translator = PredicateTranslator(predicate.variable.key)
        do {
            let added = try translator.condition(predicate.expression)
            return self.where { _ in Condition(added) }
        } catch {
            throw StoreError(
                .invalidValue,
                "a predicate on \(R.recordSchema.name) cannot be translated: \(error.text)",
                remedy: error.remedy)
        }
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Fetches the records that meet a predicate: `tx.fetch(#Predicate<Sensor> { $0.room == "kitchen" })`.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``; `invalidValue` for an operator that has no translation.
    public borrowing func fetch<R: Record>(_ predicate: Predicate<R>) throws(StoreError) -> [R] {
        try fetch(FetchRequest(predicate))
    }
}
