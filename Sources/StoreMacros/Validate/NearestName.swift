/// Finds the name that a misspelled name probably stands for.
enum NearestName {
    /// Returns the candidate with the fewest edits, if there are few enough for a plausible match.
    static func of(_ name: String, among candidates: [String]) -> String? {
        // A name of one letter is one edit away from any other.
        let limit = min(max(1, name.count / 3), name.count - 1)
        return
            candidates
            .map { (name: $0, edits: edits(from: Array(name.lowercased()), to: Array($0.lowercased()))) }
            .filter { $0.edits <= limit }
            .min { $0.edits < $1.edits }?
            .name
    }

    /// Returns the number of insertions, deletions and substitutions between two names.
    private static func edits(from source: [Character], to target: [Character]) -> Int {
        var previous = Array(0...target.count)
        for (row, character) in source.enumerated() {
            var current = [row + 1]
            for (column, other) in target.enumerated() {
                let substitution = previous[column] + (character == other ? 0 : 1)
                current.append(min(substitution, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[target.count]
    }
}
