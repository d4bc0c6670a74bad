public import ModelStore
public import Testing

extension UpdateProbe {
    /// Takes as many updates of a live query as the marble line has groups, and compares them.
    ///
    /// ```swift
    /// try await probe.expect(marbles: "(abc) +d@3,-a d>0 ~b") { $0.id }
    /// ```
    ///
    /// Spaces separate groups; each group describes one update. A group is either all rows, for the first update and for a reset,
    /// or a list of changes separated by commas:
    ///
    /// | written | meaning |
    /// |---|---|
    /// | `(abc)`, `(s1,s2)`, `(s1,)`, `()` | rows in order: labels of one character, longer labels, one longer label, no rows |
    /// | `-a` | `a` was deleted from the rows |
    /// | `d>0` | `d` moved, to index 0 |
    /// | `+d`, `+d@3` | `d` was inserted: anywhere, or at index 3 |
    /// | `~b`, `~b!` | the record of `b` changed, or another record with the same id replaced it |
    ///
    /// Changes of one kind are compared in the order of delivery, which is by index. You can write changes of different kinds in
    /// any order. Labels contain no white space, commas or parentheses.
    ///
    /// The test fails at the first difference, with both lines and a mark below it.
    ///
    /// - Parameters:
    ///   - line: the marbles.
    ///   - sourceLocation: where the updates are expected.
    ///   - label: returns the label of a row.
    public func expect<R: Record>(
        marbles line: String, sourceLocation: SourceLocation = #_sourceLocation,
        label: (R) -> some CustomStringConvertible
    ) async where Element == LiveUpdate<R> {
        let expected: MarbleLine
        do {
            expected = try MarbleLine(line)
        } catch {
            return fail("\(error)", sourceLocation)
        }
        var found: [MarbleGroup] = []
        var end = ""
        while found.count < expected.groups.count, end.isEmpty {
            switch await answer() {
            case .element(let update): found.append(MarbleGroup(update) { "\(label($0))" })
            case .failure(let error): end = "\nThen the sequence failed: \(error)"
            case .end: end = "\nThen the sequence ended."
            case nil, .nothing: end = "\nThe next update did not arrive."
            }
        }
        guard let difference = expected.difference(from: found) else { return }
        fail("the updates differ:\n\(difference)\(end)", sourceLocation)
    }
}
