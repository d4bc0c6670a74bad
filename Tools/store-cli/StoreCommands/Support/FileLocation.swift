/// Paths of files.
enum FileLocation {
    /// Returns the directory that holds `path`.
    static func parent(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if !parts.isEmpty { parts.removeLast() }
        let joined = parts.joined(separator: "/")
        return path.hasPrefix("/") ? "/" + joined : joined.isEmpty ? "." : joined
    }
}

/// Formats counts for messages.
enum Counted {
    /// Returns `1 row`, `2 rows`.
    static func text(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
