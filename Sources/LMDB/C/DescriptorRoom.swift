internal import CLMDB
internal import Glibc

/// Whether this process can open more descriptors.
///
/// The first timer of a process makes the event loop of Dispatch, and Dispatch ends the process if it gets no descriptors for the
/// loop. So a timer that only reports something is left out then, and `store-cli` refuses to begin.
package enum DescriptorRoom {
    /// How many descriptors the event loop needs: an epoll instance, an event counter and a timer.
    package static let eventLoopCount = 3

    /// Returns whether the process can open `count` more descriptors now.
    package static func exists(for count: Int) -> Bool {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = clmdb_make_event()
            guard descriptor >= 0 else { return false }
            descriptors.append(descriptor)
        }
        return true
    }
}
