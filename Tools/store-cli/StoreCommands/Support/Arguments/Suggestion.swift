import StoreEngine

/// Suggests the name that the user may have meant by one that does not exist.
enum Suggestion {
    /// Returns `, did you mean X?` with the nearest of `names`, or nothing if none is near.
    static func text(for name: String, among names: [String]) -> String {
        NearestName.find(name, among: names).map { ", did you mean \($0)?" } ?? ""
    }

    /// Returns `; did you mean X?` with the nearest field name, or all field names if none is near.
    static func remedy(for name: String, among names: [String]) -> String {
        if let nearest = NearestName.find(name, among: names) { return "; did you mean \(nearest)?" }
        return "; it has \(names.joined(separator: ", "))"
    }
}
