/// What is wrong with a condition or a calculation: it stands in their place, and is an error when they are used.
package struct ConditionMistake: Hashable, Sendable {
    let code: StoreError.Code
    package let reason: String
    private let remedy: String?

    /// A value that cannot be compared with.
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

    /// How deep conditions and calculations may nest. Whatever walks one takes stack for each level, its end too, so that
    /// none is made that is deeper: a program that builds one in a loop would overflow the stack.
    package static let maximumDepth = 500

    /// A condition that nests too deep.
    package static let deepCondition = ConditionMistake(
        depth: "a condition nests more than \(maximumDepth) levels deep",
        remedy: "write it as one chain of && or ||, or use in")

    /// A calculation that nests too deep.
    package static let deepCalculation = ConditionMistake(
        depth: "a calculation nests more than \(maximumDepth) levels deep", remedy: "store the result in a field")

    var error: StoreError { StoreError(code, reason, remedy: remedy) }
}
