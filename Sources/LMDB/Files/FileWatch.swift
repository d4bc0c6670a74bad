internal import CLMDB
internal import Glibc
internal import Synchronization

/// Reports writes to a file by any program (inotify).
///
/// Two descriptors and a path that do not change until `deinit`; `watched` belongs to the thread that waits.
package final class FileWatch: Sendable {
    private let events: Int32
    private let stopping: Int32
    private let path: String
    /// The kernel's number for the watch of the file; negative if there is none.
    private let watched: Atomic<Int32>

    /// Watches a file; nil if the system allows no further watch (its limits are reached).
    package init?(_ path: String) {
        self.path = path
        events = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        stopping = clmdb_make_event()
        watched = Atomic(unsafe inotify_add_watch(events, path, UInt32(IN_MODIFY)))
        guard events >= 0, stopping >= 0, watched.load(ordering: .relaxed) >= 0 else { return nil }
    }

    deinit {
        if events >= 0 { SystemCalls.close(events) }
        if stopping >= 0 { SystemCalls.close(stopping) }
    }

    /// Blocks this thread until the file is written to; returns false after ``stop()``.
    package func wait() -> Bool {
        var descriptors = [
            pollfd(fd: events, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopping, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&descriptors, 2, -1)
        drain()
        return descriptors[1].revents == 0
    }

    /// Suspends the watch until ``resume()``, because each write to a watched file costs the writer time.
    package func pause() {
        let old = watched.exchange(-1, ordering: .relaxed)
        if old >= 0 { inotify_rm_watch(events, old) }
        drain()
    }

    /// Ends ``pause()``. Earlier writes are not reported. If the system allows no further watch, nothing is reported.
    package func resume() {
        watched.store(unsafe inotify_add_watch(events, path, UInt32(IN_MODIFY)), ordering: .relaxed)
    }

    /// Waits for a moment, so that many writes become one event.
    package func rest(milliseconds: UInt32) { SystemCalls.pause(milliseconds: milliseconds) }

    /// Ends the waiting permanently.
    package func stop() {
        var one: UInt64 = 1
        _ = unsafe write(stopping, &one, 8)
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while unsafe read(events, &buffer, buffer.count) > 0 {}
    }
}
