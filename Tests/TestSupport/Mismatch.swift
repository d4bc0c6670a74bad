/// A finding of a randomized test. Thrown, because an expectation in each of many runs takes more time than the run.
package struct Mismatch: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
