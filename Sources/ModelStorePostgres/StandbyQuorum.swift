#if Postgres
import ModelStoreReplication

/// The standbys that must have an entry on disk before a replica applies it.
///
/// A commit that waits for its standbys is not visible. But if an administrator cancels the wait, or the server restarts, it
/// becomes visible without them. So a log with standbys compares two places in the server's journal: its end at a moment when the
/// entry was visible, and the place up to which the standbys have written it.
struct StandbyQuorum {
    /// How many standbys are needed.
    let count: UInt64

    /// Reads the server's setting `synchronous_standby_names`; returns nil if the server waits for no standby.
    ///
    /// The forms are `FIRST 2 (a, b, c)`, `ANY 2 (a, b, c)`, `2 (a, b, c)`, and `a, b`, which stands for `FIRST 1 (a, b)`.
    init?(names: String) {
        var rest = names[...].drop { $0.isWhitespace }
        if rest.isEmpty { return nil }
        for word in ["FIRST", "ANY"] where rest.uppercased().hasPrefix(word + " ") {
            rest = rest.dropFirst(word.count).drop { $0.isWhitespace }
        }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let after = rest.dropFirst(digits.count).first { !$0.isWhitespace }
        count = after == "(" ? UInt64(digits) ?? 1 : 1
    }
}
#endif
