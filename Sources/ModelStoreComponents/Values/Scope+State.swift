public import StoreRuntime

extension Scope {
    /// The value of a name that belongs to this scope: as ``State`` for components.
    ///
    /// ```swift
    /// let count = try connection.state("count", 0)
    /// count.update { $0 += 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - name: tells values of one type apart.
    ///   - initial: what it is when it is asked for first; ignored later.
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
    public func state<Value: Sendable>(_ name: String, _ initial: Value) throws -> Subject<Value> {
        try part(name) { Subject(initial) }
    }
}
