/// The end of a sequence by cancellation of its task. An iterator that has ended stays ended, whichever task calls it next.
package struct CancelledEnd: Sendable {
    private var isNoted = false

    package init() {}

    /// Whether the task is cancelled, or was at an earlier call.
    package var hasCome: Bool {
        mutating get {
            if Task.isCancelled { isNoted = true }
            return isNoted
        }
    }
}
