import Dispatch
import Foundation
import Glibc
import Synchronization

/// The end of a command that would go on for ever: by SIGINT or SIGTERM, or because nobody reads its output any more.
///
/// Life: made; `watchSignals` before the process has other threads, so that these inherit the blocked signals; then the work
/// tells what a request is to do, and when it must not be cut short.
/// - `state` is protected by its mutex.
final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var isBusy = false
        var loss: String?
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// How long work may go on after a request, in seconds: to end the change set that is being written, if its reader takes it.
    private static let graceSeconds = 3

    /// Has SIGINT and SIGTERM request the end. The process ends with status 0 at the latest some seconds after the signal, and
    /// at once with a second one. Where there is something to lose the work has as long as it takes, and a second signal ends
    /// the process with a failure.
    ///
    /// - Parameters:
    ///   - screen: what is drawn on the terminal; it is drawn anew when the terminal's size has changed, and after the process
    ///     was stopped.
    ///   - loss: what is told of where the work is cut short, until ``haveNoLoss()``; nil where nothing is lost.
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

    /// Says that the work is done, so that nothing is lost any more.
    func haveNoLoss() { state.withLock { $0.loss = nil } }

    /// Returns with the first signal that requests the end.
    private static func awaitEnd(_ watched: sigset_t, _ screen: (any Screen)?) {
        var signals = watched
        // Drawing waits while the terminal is stopped, and may not keep this thread from the end.
        let drawing = DispatchQueue(label: "screen")
        while true {
            var signal: Int32 = 0
            guard unsafe sigwait(&signals, &signal) == 0 else { continue }
            switch signal {
            case SIGWINCH, SIGCONT: drawing.async { screen?.redraw() }
            case SIGTSTP:
                drawing.async {
                    screen?.leave(waits: true)
                    // What the signal would have done. Threads stop when they come to notice, this one maybe after some steps.
                    kill(getpid(), SIGSTOP)
                }
            default: return
            }
        }
    }

    /// Returns with a second request, or when the time is up that work has after the first, where it is limited.
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

    /// Has the end of the reader of standard output request the end, also while nothing is written.
    func watchOutput() {
        Thread.detachNewThread { [self] in
            // Errors are told without being asked for.
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
            request()
        }
    }

    /// Whether the end was requested.
    var isRequested: Bool { state.withLock { $0.isRequested } }

    /// Sets what a request does; at once when there was one.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            state.action = action
            return state.isRequested && !state.isBusy
        }
        if isDue { action() }
    }

    /// Says whether the work is in the middle of something, at whose end it looks for a request itself.
    func setBusy(_ isBusy: Bool) { state.withLock { $0.isBusy = isBusy } }

    private func request() {
        let action = state.withLock { state in
            state.isRequested = true
            return state.isBusy ? nil : state.action
        }
        action?()
    }
}

/// What is drawn in place on a terminal.
protocol Screen: Sendable {
    /// Draws all of it, also after it was left.
    func redraw()
    /// Leaves the terminal as it is to be for others. Until it is drawn again nothing changes on it.
    ///
    /// - Parameter waits: whether to wait where something is being drawn; otherwise nothing may be done then.
    func leave(waits: Bool)
}
