import StoreEngine

/// What somebody may have meant by a name that does not exist.
enum Suggestion {
    /// `, did you mean X?` with the nearest of `names`; nothing when none is near.
    static func text(for name: String, among names: [String], before separator: String = ", ") -> String {
        NearestName.find(name, among: names).map { "\(separator)did you mean \($0)?" } ?? ""
    }
}
