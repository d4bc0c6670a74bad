import Dispatch
import Foundation
import Glibc
import Synchronization

/// Ends a command that would otherwise run forever: on SIGINT or SIGTERM, or when the reader of its output is gone.
///
/// Call `watchSignals` before the process has other threads, so that they inherit the blocked signals. Then the work sets what a
/// request does, and marks the steps that a request must not cut short.
///
/// - `state` is protected by its mutex.
final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var isBusy = false
        var loss: String?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// How long the work may continue after a request, in seconds: to complete the current change set, if its reader accepts it.
    private static let graceSeconds = 3

    /// Makes SIGINT and SIGTERM request the end.
    ///
    /// If nothing can be lost, the process ends with status 0 within a few seconds after the signal, and at once with a second
    /// signal. If something can be lost, the work may take as long as it needs, and a second signal ends the process with a
    /// failure.
    ///
    /// - Parameters:
    ///   - screen: the drawing on the terminal. It is redrawn after the terminal's size has changed, and after the process was
    ///     stopped.
    ///   - loss: the message if the work is cut short before ``haveNoLoss()``; nil if nothing can be lost.
    func watchSignals(screen: (any Screen)? = nil, loss: String? = nil) {
        state.withLock { $0.loss = loss }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        let wanted = [SIGINT, SIGTERM] + (screen == nil ? [] : [SIGWINCH, SIGTSTP, SIGCONT])
        for signal in wanted { unsafe sigaddset(&signals, signal) }
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        Thread.detachNewThread { [self] in
            Self.awaitEnd(watched, screen)
            request()
            Self.awaitCut(hasLimit: loss == nil)
            screen?.leave(waits: false)
            guard let loss = state.withLock({ $0.loss }) else { _exit(ExitStatus.done.rawValue) }
            StandardError.writeLine("error: " + loss)
            _exit(ExitStatus.failed.rawValue)
        }
    }

    /// Records that the work is done, so that nothing can be lost any more.
    func haveNoLoss() { state.withLock { $0.loss = nil } }

    /// Returns with the first signal that requests the end.
    private static func awaitEnd(_ watched: sigset_t, _ screen: (any Screen)?) {
        var signals = watched
        // Drawing waits while the terminal is stopped, and must not keep this thread from handling the end.
        let drawing = DispatchQueue(label: "screen")
        while true {
            var signal: Int32 = 0
            guard unsafe sigwait(&signals, &signal) == 0 else { continue }
            switch signal {
            case SIGWINCH, SIGCONT: drawing.async { screen?.redraw() }
            case SIGTSTP:
                drawing.async {
                    screen?.leave(waits: true)
                    // The effect that the signal would have had. Threads notice the stop at different times, and this one may run
                    // some steps before.
                    kill(getpid(), SIGSTOP)
                }
            default: return
            }
        }
    }

    /// Returns with a second request. If the work has a time limit, it also returns when that limit after the first request is
    /// reached.
    private static func awaitCut(hasLimit: Bool) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM] { unsafe sigaddset(&signals, signal) }
        if hasLimit {
            var grace = timespec(tv_sec: graceSeconds, tv_nsec: 0)
            _ = unsafe sigtimedwait(&signals, nil, &grace)
        } else {
            var signal: Int32 = 0
            while unsafe sigwait(&signals, &signal) != 0 {}
        }
    }

    /// Requests the end when the reader of standard output is gone, even while nothing is written.
    func watchOutput() {
        Thread.detachNewThread { [self] in
            // `poll` reports errors even if no events are requested.
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
            request()
        }
    }

    /// Whether the end was requested.
    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Sets what a request does. Runs it at once if there was a request before.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            state.action = action
            return state.isRequested && !state.isBusy
        }
        if isDue { action() }
    }

    /// Sets whether the work is in a step that must not be cut short. The work checks for a request at the end of that step.
    func setBusy(_ isBusy: Bool) { state.withLock { $0.isBusy = isBusy } }

    private func request() {
        let action = state.withLock { state in
            state.isRequested = true
            return state.isBusy ? nil : state.action
        }
        action?()
    }
}

/// A drawing on a terminal that is updated in place.
protocol Screen: Sendable {
    /// Draws everything, also after ``leave(waits:)``.
    func redraw()
    /// Leaves the terminal in a usable state for other programs. Nothing is drawn until ``redraw()``.
    ///
    /// - Parameter waits: whether to wait for a drawing in progress. Otherwise, the call may do nothing in that case.
    func leave(waits: Bool)
}
