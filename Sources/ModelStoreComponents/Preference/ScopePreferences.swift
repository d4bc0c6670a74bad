import LMDB
import StoreEngine
import StoreRuntime

/// The values that flow up to a scope, from itself and from the scopes within it.
///
/// - `subjects` is protected by its mutex.
final class ScopePreferences: Sendable {
    /// The value of one scope.
    struct Given: Sendable, Equatable {
        /// The ids of the scopes from the one that received the value to the one that sent it. Ids rise as scopes open, so paths
        /// sort in the order of opening, each scope before those within it.
        let path: [UInt64]
        let value: any Sendable

        static func == (left: Given, right: Given) -> Bool {
            left.path == right.path && Sameness.areWhollySame(left.value, right.value)
        }
    }

    private let subjects = HandoverMutex<[ObjectIdentifier: Subject<[Given]>]>([:])

    /// Returns the tracked values of a key, in the order of the scopes.
    func subject(_ key: ObjectIdentifier) -> Subject<[Given]> {
        subjects.withLock { subjects in
            if let subject = subjects[key] { return subject }
            let subject = Subject<[Given]>([])
            subjects[key] = subject
            return subject
        }
    }

    /// Sets the value of a scope; nil removes it.
    func set(_ key: ObjectIdentifier, _ path: [UInt64], _ value: (any Sendable)?) {
        subject(key).update { given in
            given.removeAll { $0.path == path }
            guard let value else { return }
            let index = given.firstIndex { path.lexicographicallyPrecedes($0.path) } ?? given.endIndex
            given.insert(Given(path: path, value: value), at: index)
        }
    }
}
