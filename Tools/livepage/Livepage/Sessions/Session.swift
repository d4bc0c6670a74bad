import Foundation
import Hummingbird
import ModelStore
import ModelStoreComponents
import ModelStoreEvents
import NIOCore
import Synchronization

/// One tab: a tree of components of its own, and the screen that the tree renders.
///
/// The session lasts while the tab reads its events, and for a grace time afterwards, in which a tab can connect again. Its scope
/// hosts the tree. Closing the scope ends the tree, the objects that the components own, and the streams of events.
///
/// - `presence` is protected by its mutex.
final class Session: Sendable {
    /// Identifies the session in addresses. It is random, because a client that knew it could submit the tab's forms.
    let id = UUID().uuidString
    let scope: Scope
    let host: ComponentHost
    private let display: Display
    private let grace: Duration
    private let presence = Mutex(Presence())

    private struct Presence {
        var streamCount = 0
        /// Closes the scope after the grace time.
        var expiry: Task<Void, Never>?
    }

    /// Hosts a tree, and renders it for the first time.
    init(in scope: Scope, alarm: Alarm, grace: Duration) async throws {
        let display = Display()
        self.scope = scope
        self.display = display
        self.grace = grace
        host = try await scope.host { Board(alarm: alarm, display: display) }
    }

    /// The current page.
    var screen: Screen { display.screen.value }

    /// Runs an action of a form on the screen, and returns once the screen shows its result.
    ///
    /// - Throws: any error of the action; `HTTPError` if the screen has no such form.
    func perform(_ action: String, of fragment: String, with fields: [String: String]) async throws {
        touch()
        guard let body = display.action(action, of: fragment) else {
            throw HTTPError(.notFound, message: "the page has no form \(fragment) with the action \(action)")
        }
        try await body(fields)
        try await host.settle()
    }

    // MARK: Events

    /// Starts sending patches to the tab, until the scope of its connection closes.
    ///
    /// - Parameters:
    ///   - connection: the scope of the connection.
    ///   - version: the version of the screen that the tab shows.
    ///   - heartbeat: the time between two comments. Sending them reveals a lost client.
    func stream(in connection: Scope, from version: Int?, heartbeat: Duration) throws -> Outlet {
        let outlet = try connection.stateObject { Outlet() }
        changeStreamCount(by: 1)
        do {
            try connection.onClose { [weak self] in
                outlet.finish()
                self?.changeStreamCount(by: -1)
            }
        } catch {
            changeStreamCount(by: -1)
            throw error
        }
        try connection.task { [screen = display.screen] in
            defer { outlet.finish() }
            await outlet.send(Self.buffer([ServerSentEvent(retryDelay: .seconds(1))]))
            var shown: Screen?
            // A slow tab skips screens, but always receives the newest. Each patch starts from the screen that the tab shows.
            for await new in screen.values {
                let isKnown = shown == nil && new.version == version
                let events = isKnown ? [] : try new.events(since: shown)
                if !events.isEmpty { await outlet.send(Self.buffer(events)) }
                shown = new
            }
        }
        try connection.task {
            while true {
                try await Task.sleep(for: heartbeat)
                await outlet.send(ByteBuffer(string: ":\n\n"))
            }
        }
        return outlet
    }

    private static func buffer(_ events: [ServerSentEvent]) -> ByteBuffer {
        events.reduce(into: ByteBuffer()) { $1.write(to: &$0) }
    }

    // MARK: Life

    /// Restarts the grace time.
    func touch() { changeStreamCount(by: 0) }

    private func changeStreamCount(by difference: Int) {
        presence.withLock { presence in
            presence.streamCount += difference
            presence.expiry?.cancel()
            presence.expiry = nil
            if presence.streamCount > 0 { return }
            // A closed scope needs no expiry.
            presence.expiry = try? scope.task { [scope, grace] in
                try await Task.sleep(for: grace)
                scope.close()
            }
        }
    }
}
