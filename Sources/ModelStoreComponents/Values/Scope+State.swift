public import StoreRuntime

extension Scope {
    /// Returns the value of this scope with a name: the counterpart of ``State`` in components.
    ///
    /// ```swift
    /// let count = try connection.state("count", 0)
    /// count.update { $0 += 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - name: distinguishes values of one type.
    ///   - initial: the value at the first call; ignored later.
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func state<Value: Sendable>(_ name: String, _ initial: Value) throws -> Subject<Value> {
        try part(name) { Subject(initial) }
    }

    /// Calls a closure with the current value of a subject, and then with every new one, until the subject is released or the
    /// scope closes.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func onReceive<Value>(
        _ subject: Subject<Value>, file: StaticString = #fileID, line: UInt = #line,
        perform body: @escaping @Sendable (Value) async throws -> Void
    ) throws {
        try onReceive(subject.values, file: file, line: line, perform: body)
    }
}
