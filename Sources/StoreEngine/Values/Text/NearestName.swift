/// Finds what somebody may have meant.
package enum NearestName {
    /// The name among `names` with the fewest edits, if that is at most a third of its length plus one, and something is left of
    /// it: one letter is no misspelling of any other.
    package static func find(_ name: String, among names: [String]) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars)
        var best: String?
        var limit = wanted.count / 3 + 2
        for name in names {
            let other = Array(name.lowercased().unicodeScalars)
            // They are as many edits apart at least: what is asked for may be a file's line of any length.
            guard abs(other.count - wanted.count) < limit else { continue }
            let edits = distance(wanted, other)
            if edits < min(limit, max(wanted.count, other.count)) { (best, limit) = (name, edits) }
        }
        return best
    }

    // Levenshtein's distance with one row.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (i, scalar) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let substitution = diagonal + (scalar == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
