/// The end of a sequence by the cancelling of its task: an iterator that has ended stays so, whatever task asks it again.
package struct CancelledEnd: Sendable {
    private var isNoted = false

    package init() {}

    /// Whether the task is cancelled, or was when an earlier call asked.
    package var hasCome: Bool {
        mutating get {
            if Task.isCancelled { isNoted = true }
            return isNoted
        }
    }
}
