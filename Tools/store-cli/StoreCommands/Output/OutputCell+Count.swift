import StoreEngine

extension OutputCell {
    /// A number; null for nil.
    static func count(_ value: UInt64?) -> OutputCell {
        value.map { OutputCell(.number(JSONNumber($0))) } ?? OutputCell(.null)
    }
}
