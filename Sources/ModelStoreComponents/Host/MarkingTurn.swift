import Glibc

/// Gathers what one change marks, so that each tree is told of all of it at once.
///
/// Observation tells those who have read a value one after the other. A tree that was updated in between would update some of its
/// components in one pass and the others in the next, children before their parents.
struct MarkingTurn {
    private struct Mark {
        let inbox: Inbox
        let id: UInt64
        let number: UInt64
    }

    private var marks: [Mark] = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "the system has no thread-specific key left")
        return key
    }()

    private static var current: UnsafeMutablePointer<MarkingTurn>? {
        unsafe pthread_getspecific(key)?.assumingMemoryBound(to: MarkingTurn.self)
    }

    /// Runs a closure, and then tells trees what it has marked. Within another, that one tells.
    static func run(_ body: () -> Void) {
        if unsafe current != nil { return body() }
        var turn = MarkingTurn()
        unsafe withUnsafeMutablePointer(to: &turn) { pointer in
            unsafe pthread_setspecific(key, pointer)
            body()
            pthread_setspecific(key, nil)
        }
        turn.tell()
    }

    /// Notes a mark, to be told with the others of the calling thread's turn.
    ///
    /// - Returns: false where there is none.
    static func note(_ id: UInt64, _ number: UInt64, for inbox: Inbox) -> Bool {
        guard let turn = unsafe current else { return false }
        unsafe turn.pointee.marks.append(Mark(inbox: inbox, id: id, number: number))
        return true
    }

    private mutating func tell() {
        while let inbox = marks.first?.inbox {
            inbox.add(marks.lazy.filter { $0.inbox === inbox }.map { ($0.id, $0.number) })
            marks.removeAll { $0.inbox === inbox }
        }
    }
}
