import Foundation

/// Decides which entries a log needs no more: those before a snapshot that is old enough, and that every node has applied.
struct TrimRule: Sendable {
    /// How long the log keeps entries that a snapshot has, in seconds. An append is repeated for a shorter time.
    var retainedSeconds = 3_600.0

    /// Returns the newest entry that can be removed; nil if none can.
    func position(_ manifest: SnapshotManifest, _ members: [LogMember], now: Date) -> LogPosition? {
        let old = manifest.marks.filter { now.timeIntervalSince($0.time) >= retainedSeconds }.map(\.position)
        let applied = members.map(\.applied).filter { $0.generation == manifest.position.generation }
        guard let newest = old.map(\.index).max() else { return nil }
        let limit = min(newest, applied.map(\.index).min() ?? newest)
        // Only these positions are known with their hashes.
        return (old + applied).filter { $0.index > 0 && $0.index <= limit }.max { $0.index < $1.index }
    }
}
