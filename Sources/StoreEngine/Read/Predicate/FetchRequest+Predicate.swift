public import Foundation

// Foundation's predicates as requests.
extension FetchRequest {
    /// The records that meet a predicate: `FetchRequest(#Predicate<Sensor> { $0.room == "kitchen" })`.
    ///
    /// It is translated as ``where(_:)-(Predicate<R>)`` says.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`, naming what has no translation.
    public init(_ predicate: Predicate<R>) throws(StoreError) { self = try FetchRequest(R.self).where(predicate) }

    /// Those that meet a predicate too.
    ///
    /// It finds the records for which `evaluate` gives true, with these exceptions. Texts are compared by Unicode scalars,
    /// as everywhere in a store: `é` as one scalar and as two are different, and a text contains the scalars of a part of
    /// a character. Integers that overflow in the predicate do not here. Where `evaluate` throws, as with `!` of a value
    /// that is nil, nothing is found, or what the rest of the predicate says.
    ///
    /// Where there is a choice, write conditions as closures over tokens, which the compiler checks in a fraction of the
    /// time.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`, naming what has no translation and what to write instead.
    public func `where`(_ predicate: Predicate<R>) throws(StoreError) -> FetchRequest {
        var translator = PredicateTranslator(predicate.variable.key)
        do {
            let added = try translator.condition(predicate.expression)
            return self.where { _ in Condition(added) }
        } catch {
            throw StoreError(
                .invalidValue,
                "a predicate on \(R.recordSchema.name) has no translation: \(error.text)",
                remedy: error.remedy)
        }
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// The records that meet a predicate: `tx.fetch(#Predicate<Sensor> { $0.room == "kitchen" })`.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``; `invalidValue` for an operator that has no translation.
    public borrowing func fetch<R: Record>(_ predicate: Predicate<R>) throws(StoreError) -> [R] {
        try fetch(FetchRequest(predicate))
    }
}
