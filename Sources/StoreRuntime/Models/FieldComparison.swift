import LMDB
import StoreEngine

/// Compares two records of a type by one field. It is created once for each field: otherwise, each subscriber to a model would
/// hold half a kilobyte of closures.
final class FieldComparison<R: Record>: Sendable {
    let areSame: Sameness.Comparison<R>

    private init(_ areSame: @escaping Sameness.Comparison<R>) { self.areSame = areSame }

    /// Returns the comparison by a field of the type.
    static func of<V>(_ token: FieldToken<R, V>) -> FieldComparison {
        let key = FieldComparisons.Key(type: ObjectIdentifier(R.self), field: token.name)
        if let known = FieldComparisons.known.withLock({ $0[key] }) as? FieldComparison { return known }
        let areSame = Sameness.storedComparison(of: V.self)
        let new = FieldComparison { areSame(token.value(in: $0), token.value(in: $1)) }
        FieldComparisons.known.withLock { $0[key] = new }
        return new
    }
}

/// The comparisons of all types: one for each field that the program subscribes to.
private enum FieldComparisons {
    struct Key: Hashable {
        let type: ObjectIdentifier
        let field: String
    }

    static let known = HandoverMutex<[Key: any AnyObject & Sendable]>([:])
}
