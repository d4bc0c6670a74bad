/// Finds the name that a misspelled name may stand for.
package enum NearestName {
    /// Returns the name among `names` with the fewest edits to `name`.
    ///
    /// - Returns: nil if that takes more edits than a third of the length of `name` plus one, or than half of the letters. `bad`,
    ///   for example, is not a misspelling of `id`.
    package static func find(_ name: String, among names: [String]) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars)
        var best: String?
        var limit = wanted.count / 3 + 2
        for name in names {
            let other = Array(name.lowercased().unicodeScalars)
            // The difference in length is the minimum number of edits. The check bounds the time: `name` may be a line of a file,
            // of any length.
            guard abs(other.count - wanted.count) < limit else { continue }
            let edits = distance(wanted, other)
            if edits < limit, edits * 2 <= max(wanted.count, other.count) { (best, limit) = (name, edits) }
        }
        return best
    }

    // The Levenshtein distance, computed with one row.
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
