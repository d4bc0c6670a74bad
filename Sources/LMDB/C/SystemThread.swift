internal import CLMDB
internal import Glibc

/// Threads of the operating system. Foundation's `Thread` ignores a failed start, and the caller then waits for work that no
/// thread does.
package enum SystemThread {
    /// The stack size in bytes. User code and deeply nested JSON recurse on these threads, and the default for secondary threads
    /// can be small.
    private static let stackByteCount = 8 << 20

    /// Starts a thread that runs `body` and ends with it.
    ///
    /// - Parameters:
    ///   - name: the name that tools of the system show, at most 15 bytes.
    ///   - path: the directory of the environment that the thread works for; nil if it works for none.
    /// - Throws: ``LMDBError`` with the code `threadUnavailable`, when the system starts no thread.
    package static func start(
        _ name: StaticString, for path: String?, _ body: @escaping @Sendable () -> Void
    ) throws(LMDBError) {
        let code = path.flatMap { CallFaults.fault(.startThread, at: $0)?.code } ?? start(name, body)
        guard code != 0 else { return }
        throw LMDBError(
            .threadUnavailable, operation: "pthread_create", path: path, systemCode: code,
            detail: "the system cannot start the thread \(name): \(Calls.message(for: code))",
            remedy: "raise the limits on threads (ulimit -u, the cgroup's pids.max) and on memory (ulimit -v)")
    }

    /// Returns the code of the system; 0 if the thread has started.
    private static func start(_ name: StaticString, _ body: @escaping @Sendable () -> Void) -> Int32 {
        var attributes = pthread_attr_t()
        let code = unsafe pthread_attr_init(&attributes)
        guard code == 0 else { return code }
        defer { _ = unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let work = unsafe Unmanaged.passRetained(ThreadWork(name: name, body: body))
        var thread = pthread_t()
        let result = unsafe pthread_create(&thread, &attributes, runThreadWork, work.toOpaque())
        if result != 0 { unsafe work.release() }
        return result
    }
}

/// The work of a thread that starts.
private final class ThreadWork: Sendable {
    let name: StaticString
    let body: @Sendable () -> Void

    init(name: StaticString, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThreadWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let work = unsafe Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue()
    unsafe clmdb_name_thread(UnsafeRawPointer(work.name.utf8Start).assumingMemoryBound(to: CChar.self))
    work.body()
    return nil
}
