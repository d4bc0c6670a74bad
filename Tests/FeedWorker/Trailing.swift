import Foundation
import ModelStore

/// `trail DIR [POSITION LANE=NUMBER…]`: follows the feed from the oldest change set, or after a position at which the lanes had
/// these items. Prints `seen POSITION LANE=NUMBER…` for each change set, and ends when it reads a line.
struct Trailing {
    private let store: Store
    private let start: FeedStart
    private var order = FeedOrder()

    init(_ directory: String, _ words: [String]) throws {
        store = try openStore(directory)
        guard let text = words.first else {
            start = .oldest
            return
        }
        guard let position = Position(text), let order = FeedOrder(after: position, lasts: words.dropFirst()) else {
            throw POSIXError(.EINVAL)
        }
        start = .after(position)
        self.order = order
    }

    func run() async throws {
        let following = Task { try await follow() }
        let reader = Task.detached { _ = readLine() }
        Task {
            await reader.value
            following.cancel()
        }
        try await following.value
        store.close()
        say("done")
    }

    private func follow() async throws {
        var order = order
        for try await set in store.changes(from: start) {
            _ = try order.add(set)
            let lanes = order.lasts.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            say("seen \(set.position)\(lanes)")
        }
    }
}
