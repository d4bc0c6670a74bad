import LMDB
import StoreEngine
import StoreRuntime

/// What a scope hands down to the scopes and components within it.
///
/// - `subjects` is protected by its mutex.
final class ScopeEnvironment: Sendable {
    /// What is handed down by a key; nil where nothing is.
    struct Value: Sendable, Equatable {
        let value: any Sendable
        /// Of an object, what it is owned by: each one that is provided is another, whatever it is equal to.
        var pin: PinID?

        static func == (left: Value, right: Value) -> Bool {
            left.pin == right.pin && Sameness.areSame(left.value, right.value)
        }
    }

    private let subjects = HandoverMutex<[ObjectIdentifier: Subject<Value?>]>([:])

    /// What is handed down by a key, tracked, also where that is nothing yet.
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
    /// What the nearest of this scope and its ancestors hands down by a key.
    func provided(_ key: ObjectIdentifier) -> (any Sendable)? {
        findInParts {
            ScopeEnvironment()
        } _: {
            $0.subject(key).value?.value
        }
    }

    /// What this scope itself hands down by a key.
    func providedHere(_ key: ObjectIdentifier) -> (any Sendable)? {
        (try? part { ScopeEnvironment() })?.subject(key).value?.value
    }
}
