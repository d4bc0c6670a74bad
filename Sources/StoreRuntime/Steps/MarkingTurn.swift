/// Receives marks: the updates of its parts that have read a value which has changed since.
package protocol MarkReceiver: AnyObject, Sendable {
    /// Adds marks.
    ///
    /// - Parameter marks: the newest marked update of each part.
    func add(_ marks: [UInt64: UInt64])
}

/// Gathers the marks of one change, so that each receiver gets all of them at once.
///
/// Observation notifies the readers of a value one after the other. A tree that updated itself in between would update some of
/// its components in one pass and the others in the next, children before their parents.
package struct MarkingTurn {
    private var receivers: [any MarkReceiver] = []
    private var marks: [ObjectIdentifier: [UInt64: UInt64]] = [:]

    private static let slot = ThreadSlot()

    private static var current: UnsafeMutablePointer<MarkingTurn>? {
        unsafe slot.pointer?.assumingMemoryBound(to: MarkingTurn.self)
    }

    /// Runs a closure, and then passes its marks to the receivers. Inside another turn, the outer turn passes them.
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

    /// Marks an update for a receiver. The receiver gets the mark with the other marks of the calling thread's turn, or at once
    /// without a turn.
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
