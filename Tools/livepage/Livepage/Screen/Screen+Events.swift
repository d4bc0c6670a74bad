import Foundation
import ModelStoreEvents

extension Screen {
    /// Returns the events that update a page to this screen. The last one carries the version, for a client that connects again.
    ///
    /// - Parameter old: the current screen of the page; nil replaces the whole page.
    func events(since old: Screen?) throws -> [ServerSentEvent] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var events: [ServerSentEvent] = []
        if title != old?.title { events.append(ServerSentEvent("title", data: title)) }
        for patch in old.map({ patches(since: $0) }) ?? [whole] {
            let data = String(decoding: try encoder.encode(patch), as: UTF8.self)
            events.append(ServerSentEvent("patch", data: data))
        }
        if !events.isEmpty { events[events.count - 1].id = "\(version)" }
        return events
    }
}
