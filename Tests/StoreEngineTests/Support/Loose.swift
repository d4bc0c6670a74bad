/// A value that is only `Codable`.
struct Loose: Codable, Equatable, Sendable {
    var text: String
    var numbers: [Double]
    var inner: [String: Int?]
}
