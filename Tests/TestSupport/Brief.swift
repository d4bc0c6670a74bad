/// A text for people in which long values are shortened, so that the failure of an oracle fits on a screen. The seed in the text
/// repeats the whole run.
package struct Brief: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
    /// How many characters of a value are shown.
    package static let valueLength = 300

    package let description: String

    package init(stringLiteral text: String) { description = text }

    package init(stringInterpolation: StringInterpolation) { description = stringInterpolation.text }

    /// Shortens each value between the literal parts. An error is not shortened, because its own text may be brief already.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation<T>(_ value: T) {
            text += value is any Error ? "\(value)" : Brief.shortened("\(value)")
        }

        package mutating func appendInterpolation<T>(whole value: T) { text += "\(value)" }
    }

    /// Returns a text, or its beginning and its end if it is long.
    package static func shortened(_ text: String) -> String {
        let omitted = text.count - valueLength
        guard omitted > 0 else { return text }
        return "\(text.prefix(valueLength * 2 / 3)) […\(omitted) characters…] \(text.suffix(valueLength / 3))"
    }

    /// Returns the last elements of a list, one a line.
    package static func last<T>(of list: [T]) -> String {
        let shown = list.suffix(10).map { shortened("\($0)") }
        let omitted = list.count - shown.count
        return ((omitted > 0 ? ["[…\(omitted) before…]"] : []) + shown).joined(separator: "\n")
    }

    /// Returns two different texts from a little before the first difference on.
    static func apart(_ left: String, _ right: String) -> (left: String, right: String) {
        let common = zip(left, right).prefix { $0 == $1 }.count
        let start = max(0, common - valueLength / 6)
        func part(_ text: String) -> String {
            (start > 0 ? "[…\(start) equal characters…] " : "") + shortened(String(text.dropFirst(start)))
        }
        return (part(left), part(right))
    }
}

/// Throws unless two values are the same. The message shows where they begin to differ; an expectation would print all of both.
package func requireSame<T: Equatable>(_ found: T, _ expected: T, _ place: @autoclosure () -> Brief) throws {
    guard found != expected else { return }
    let (left, right) = Brief.apart("\(found)", "\(expected)")
    throw Mismatch("\(whole: place()): found \(whole: left), expected \(whole: right)")
}
