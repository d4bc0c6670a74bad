/// A value whose parts are read, and tracked, each on its own.
package protocol PartSource<Whole>: Sendable {
    associatedtype Whole: Sendable

    /// The current value. Reading it tracks all of it.
    var whole: Whole { get }

    /// Returns a part of the value, whose `whole` tracks that part alone.
    func part<Part: Sendable>(_ path: any KeyPath<Whole, Part> & Sendable) -> any PartSource<Part>
}

/// Returns the path to a part of the value that a path leads to.
package func joined<Root, Value, Part>(
    _ path: any KeyPath<Root, Value> & Sendable, _ part: any KeyPath<Value, Part> & Sendable
) -> any KeyPath<Root, Part> & Sendable {
    // A path is Sendable if its arguments are, and the joined path has the arguments of both.
    unsafe unsafeBitCast(path.appending(path: part), to: (any KeyPath<Root, Part> & Sendable).self)
}
