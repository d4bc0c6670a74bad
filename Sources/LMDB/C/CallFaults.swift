internal import CLMDB
internal import Synchronization

/// Makes calls of liblmdb fail that would succeed: what a full disk, a broken one or a taken reader table do is tested by it.
///
/// Off, it costs each call one relaxed load. While any environment of the process has a plan, each call looks up that of its own
/// environment, so that tests of other stores are not disturbed.
///
/// - `plans` is protected by its mutex; `isArmed` says whether it holds any.
package enum CallFaults {
    /// Whether any environment has a plan.
    private static let isArmed = Atomic(false)
    /// The plans, by the path that LMDB knows the environment by.
    private static let plans = HandoverMutex<[String: FaultPlan]>([:])

    // MARK: For tests

    /// Reads or changes the plan of an environment, which is made where it has none, and forgotten when it asks for nothing.
    ///
    /// - Parameter path: the directory, as it was opened.
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

    /// Whether some calls are to fail, so that none may be left out.
    @inline(__always)
    static var isAnyPlanned: Bool { isArmed.load(ordering: .relaxed) }

    /// What becomes of a call in a transaction; nil: it is made.
    @inline(__always)
    static func fault(_ kind: CallKind, transaction: OpaquePointer?) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return unsafe planned(kind, mdb_txn_env(transaction))
    }

    /// What becomes of a call on an environment; nil: it is made.
    @inline(__always)
    static func fault(_ kind: CallKind, environment: OpaquePointer?) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return unsafe planned(kind, environment)
    }

    /// What becomes of a call on a cursor; nil: it is made.
    @inline(__always)
    static func fault(_ kind: CallKind, cursor: OpaquePointer) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return unsafe planned(kind, mdb_txn_env(mdb_cursor_txn(cursor)))
    }

    /// What becomes of the opening of an environment; nil: it is opened.
    static func faultOfOpening(at path: String) -> FaultPlan.Fault? {
        guard isArmed.load(ordering: .relaxed) else { return nil }
        return withPlan(at: path) { $0.next(.open) }
    }

    @inline(never)
    private static func planned(_ kind: CallKind, _ environment: OpaquePointer?) -> FaultPlan.Fault? {
        var path: UnsafePointer<CChar>?
        guard let environment = unsafe environment, unsafe mdb_env_get_path(environment, &path) == 0,
            let path = unsafe path
        else { return nil }
        return unsafe planned(kind, String(cString: path))
    }

    private static func planned(_ kind: CallKind, _ path: String) -> FaultPlan.Fault? {
        plans.withLock { $0[path]?.next(kind) }
    }
}
