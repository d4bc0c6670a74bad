/// What is told which updates of its parts have read something that is another now.
package protocol MarkReceiver: AnyObject, Sendable {
    /// - Parameter marks: the newest of the updates, by part.
    func add(_ marks: [UInt64: UInt64])
}

/// Gathers what one change marks, so that each receiver is told of all of it at once.
///
/// Observation tells those who have read a value one after the other. A tree that was updated in between would update some of its
/// components in one pass and the others in the next, children before their parents.
package struct MarkingTurn {
    private var receivers: [any MarkReceiver] = []
    private var marks: [ObjectIdentifier: [UInt64: UInt64]] = [:]

    private static let slot = ThreadSlot()

    private static var current: UnsafeMutablePointer<MarkingTurn>? {
        unsafe slot.pointer?.assumingMemoryBound(to: MarkingTurn.self)
    }

    /// Runs a closure, and then tells receivers what it has marked. Within another, that one tells.
    package static func run(_ body: () -> Void) {
        ThreadChanges.note()
        if unsafe current != nil { return body() }
        var turn = MarkingTurn()
        unsafe withUnsafeMutablePointer(to: &turn) { pointer in
            unsafe slot.pointer = UnsafeMutableRawPointer(pointer)
            body()
            unsafe slot.pointer = nil
        }
        for receiver in turn.receivers { receiver.add(turn.marks[ObjectIdentifier(receiver)] ?? [:]) }
    }

    /// Tells a receiver of an update, with what else the calling thread's turn marks, or at once.
    package static func mark(_ part: UInt64, _ number: UInt64, for receiver: any MarkReceiver) {
        ThreadChanges.note()
        guard let turn = unsafe current else { return receiver.add([part: number]) }
        unsafe turn.pointee.note(part, number, for: receiver)
    }

    private mutating func note(_ part: UInt64, _ number: UInt64, for receiver: any MarkReceiver) {
        let id = ObjectIdentifier(receiver)
        if marks[id] == nil { receivers.append(receiver) }
        marks[id, default: [:]][part] = max(marks[id]?[part] ?? 0, number)
    }
}
