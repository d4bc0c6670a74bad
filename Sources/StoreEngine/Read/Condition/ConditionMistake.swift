/// A mistake in a condition or a calculation. It takes the place of the wrong part and is thrown as an error when that part is
/// used.
package struct ConditionMistake: Hashable, Sendable {
    let code: StoreError.Code
    package let reason: String
    private let remedy: String?

    /// Creates the mistake for a value that cannot be compared.
    init(value reason: String) {
        code = .invalidValue
        self.reason = reason
        remedy = nil
    }

    private init(depth reason: String, remedy: String) {
        code = .tooLarge
        self.reason = reason
        self.remedy = remedy
    }

    /// The most levels that conditions and calculations may nest.
    ///
    /// Each level takes stack when a condition is walked and also when it is released. Deeper conditions are never built, because
    /// a program that builds one in a loop would overflow the stack.
    package static let maximumDepth = 500

    /// A condition that nests too deeply.
    package static let deepCondition = ConditionMistake(
        depth: "a condition nests more than \(maximumDepth) levels deep",
        remedy: "write it as one chain of && or ||, or use in")

    /// A calculation that nests too deeply.
    package static let deepCalculation = ConditionMistake(
        depth: "a calculation nests more than \(maximumDepth) levels deep", remedy: "store the result in a field")

    var error: StoreError { StoreError(code, reason, remedy: remedy) }
}
