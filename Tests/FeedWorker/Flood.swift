import Foundation
import ModelStore

/// `flood DIR COUNT`: writes COUNT items in one write.
func flood(_ directory: String, _ count: Int) async throws {
    let store = try openStore(directory)
    try await store.write { tx in
        for number in 1...count {
            try tx.insert(Item(id: "a-\(number)", lane: "a", number: number, text: "some text that takes memory"))
        }
    }
    store.close()
    say("done")
}

/// `drain DIR COUNT PART`: reads COUNT items from the oldest change set on, in parts of PART changes. Prints the maximum growth
/// of anonymous memory in the meantime, in KiB.
func drain(_ directory: String, count: Int, part: Int) async throws {
    let store = try openStore(directory)
    var options = FeedOptions(only: FeedFilter(Item.self))
    options.changesPerPart = part
    var feed = store.changes(from: .oldest, options).makeAsyncIterator()
    let before = anonymousKibibytes()
    var (peak, seen) = (before, 0)
    while seen < count, let set = try await feed.next() {
        for change in try set.changes(of: Item.self) {
            seen += 1
            guard change.after?.number == seen else { return say("failed \(change.id) came as number \(seen)") }
        }
        peak = max(peak, anonymousKibibytes())
    }
    say("grown \(peak - before)")
    store.close()
    say("done")
}

private func anonymousKibibytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
}
