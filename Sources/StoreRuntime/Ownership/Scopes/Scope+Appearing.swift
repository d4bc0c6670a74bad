extension Scope {
    /// Runs a closure at once, unless this line has already run one in this scope's life: as `onAppear` of a component.
    ///
    /// Use it in code that runs often in one scope, such as for each request of a connection.
    ///
    /// - Parameters:
    ///   - name: distinguishes closures of one line.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - column: the column of the call.
    ///   - body: must not call this method for itself. A closure that throws counts as not run.
    /// - Throws: the errors of `body`; ``StoreError`` with the code `scopeClosed`.
    public func onAppear(
        _ name: String = "", file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        _ body: () throws -> Void
    ) throws {
        _ = try part("\(file):\(line):\(column) \(name)") { LazyObject<Appearance>() }.value {
            try body()
            return Appearance()
        }
    }
}

/// Marks that a closure has run.
private final class Appearance: Sendable {}
