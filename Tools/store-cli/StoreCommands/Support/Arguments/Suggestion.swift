import StoreEngine

/// What somebody may have meant by a name that does not exist.
enum Suggestion {
    /// `, did you mean X?` with the nearest of `names`; nothing when none is near.
    static func text(for name: String, among names: [String]) -> String {
        NearestName.find(name, among: names).map { ", did you mean \($0)?" } ?? ""
    }

    /// `; did you mean X?` with the nearest of the names of fields, or which there are when none is near.
    static func remedy(for name: String, among names: [String]) -> String {
        if let nearest = NearestName.find(name, among: names) { return "; did you mean \(nearest)?" }
        return "; it has \(names.joined(separator: ", "))"
    }
}
