extension Scope {
    /// Runs a closure at once if this line has not run one in this scope's life yet: as `onAppear` of a component.
    ///
    /// It is for code that comes along often in one scope, such as with each request of a connection.
    ///
    /// - Parameters:
    ///   - name: tells closures of one line apart.
    ///   - body: must not ask for itself. One that throws has not run.
    /// - Throws: what `body` throws; ``StoreError`` with the code `scopeClosed`.
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

/// What is there once something has appeared.
private final class Appearance: Sendable {}
