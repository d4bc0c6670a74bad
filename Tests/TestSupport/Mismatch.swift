/// A failure of a randomized test. It is thrown, because an expectation in each of many runs takes longer than the run.
package struct Mismatch: Error, CustomStringConvertible {
    package let description: String

    package init(_ text: Brief) { description = text.description }
}
