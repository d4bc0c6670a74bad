import LMDB
import StoreEngine
import StoreRuntime

/// The environment values and objects that a scope hands down to the scopes and components within it.
///
/// - `subjects` is protected by its mutex.
final class ScopeEnvironment: Sendable {
    /// The value of a key; the subject holds nil if the scope hands down none.
    struct Value: Sendable, Equatable {
        let value: any Sendable
        /// The pin that owns a provided object. Two provided objects differ by their pins, even if they compare equal.
        var pin: PinID?

        static func == (left: Value, right: Value) -> Bool {
            left.pin == right.pin && Sameness.areWhollySame(left.value, right.value)
        }
    }

    private let subjects = HandoverMutex<[ObjectIdentifier: Subject<Value?>]>([:])

    /// Returns the tracked value of a key. The subject exists even if the scope hands down no value for the key yet.
    func subject(_ key: ObjectIdentifier) -> Subject<Value?> {
        subjects.withLock { subjects in
            if let subject = subjects[key] { return subject }
            let subject = Subject<Value?>(nil)
            subjects[key] = subject
            return subject
        }
    }
}

extension Scope {
    /// Returns the value of a key from the nearest of this scope and its ancestors that hands one down.
    func provided(_ key: ObjectIdentifier) -> (any Sendable)? {
        findInParts {
            ScopeEnvironment()
        } _: {
            $0.subject(key).value?.value
        }
    }

    /// Returns the value of a key that this scope itself hands down.
    func providedHere(_ key: ObjectIdentifier) -> (any Sendable)? {
        (try? part { ScopeEnvironment() })?.subject(key).value?.value
    }
}
