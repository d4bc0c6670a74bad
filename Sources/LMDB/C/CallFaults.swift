internal import CLMDB
internal import Glibc
internal import Synchronization

/// Makes calls of liblmdb and operations on files fail that would succeed. Tests use it for a full disk, a broken disk or a full
/// reader table.
///
/// While no environment of the process has a plan, the cost is one relaxed load per call. Otherwise each call looks up the plans
/// of its own directory and of those above it, so that tests of other stores are not affected.
///
/// - `plans` is protected by its mutex; `isArmed` states whether it contains any.
package enum CallFaults {
    /// Whether any environment has a plan.
    private static let isArmed = Atomic(false)
    /// The plans, by the path with which LMDB opened the environment.
    private static let plans = HandoverMutex<[String: FaultPlan]>([:])

    // MARK: For tests

    /// Reads or changes the plan of an environment. Creates the plan if there is none, and removes it if it is idle.
    ///
    /// - Parameter path: the directory, as the program opened it.
    package static func withPlan<T: Sendable>(at path: String, _ body: (inout FaultPlan) -> T) -> T {
        plans.withLock { plans in
            var plan = plans[path] ?? FaultPlan()
            defer {
                plans[path] = plan.isIdle ? nil : plan
                isArmed.store(!plans.isEmpty, ordering: .relaxed)
            }
            return body(&plan)
        }
    }

    // MARK: For calls

    /// Whether any plan exists. Then no call may be optimized away, because it could be the one that has to fail.
    @inline(__always)
    static var isAnyPlanned: Bool { isArmed.load(ordering: .relaxed) }

    /// Whether the environment of a transaction has a plan.
    @inline(__always)
    static func isPlanned(for transaction: OpaquePointer?) -> Bool {
        guard isArmed.load(ordering: .relaxed) else { return false }
        return unsafe hasPlan(mdb_txn_env(transaction))
    }

    @inline(never)
    private static func hasPlan(_ environment: OpaquePointer?) -> Bool {
        guard let path = unsafe path(of: environment) else { return false }
        return plans.withLock { $0.keys.contains { applies($0, to: path) } }
    }

    private static func path(of environment: OpaquePointer?) -> String? {
        var path: UnsafePointer<CChar>?
        guard let environment = unsafe environment, unsafe mdb_env_get_path(environment, &path) == 0,
            let path = unsafe path
        else { return nil }
        return unsafe String(cString: path)
    }

    /// Returns whether the plan of a directory applies to a path. The plans of all directories above it apply too, because a new
    /// store is made in another directory first, and the name of its own directory is in the parent.
    private static func applies(_ directory: String, to path: String) -> Bool {
        path == directory || path.hasPrefix(directory + "/")
    }

    /// The fault of a call in a transaction; nil if the call is made.
    @inline(__always)
    static func fault(_ kind: CallKind, transaction: OpaquePointer?) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return unsafe planned(kind, mdb_txn_env(transaction))
    }

    /// The fault of a call on an environment; nil if the call is made.
    @inline(__always)
    static func fault(_ kind: CallKind, environment: OpaquePointer?) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return unsafe planned(kind, environment)
    }

    /// The fault of a call on a cursor; nil if the call is made.
    @inline(__always)
    static func fault(_ kind: CallKind, cursor: OpaquePointer) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return unsafe planned(kind, mdb_txn_env(mdb_cursor_txn(cursor)))
    }

    /// The fault of a call for an environment that has no handle yet, or that needs none; nil if the call is made.
    static func fault(_ kind: CallKind, at path: String) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return planned(kind, path)
    }

    /// Whether an operation on a file or a directory has to fail. It then has set `errno`.
    static func fails(_ kind: CallKind, path: String) -> Bool {
        guard isArmed.load(ordering: .relaxed), let fault = planned(kind, path) else { return false }
        errno = fault.code
        return true
    }

    @inline(never)
    private static func planned(_ kind: CallKind, _ environment: OpaquePointer?) -> FaultPlan.Fault? {
        unsafe path(of: environment).flatMap { planned(kind, $0) }
    }

    /// Returns the fault of a call on a path.
    private static func planned(_ kind: CallKind, _ path: String) -> FaultPlan.Fault? {
        plans.withLock { plans in
            for key in plans.keys.sorted() where applies(key, to: path) {
                if let fault = plans[key]?.next(kind) { return fault }
            }
            return nil
        }
    }
}
