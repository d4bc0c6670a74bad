import StoreEngine
import StoreExpressions
import StoreRuntime

/// The records that `--where` finds, which a command changes or deletes once the user has agreed.
struct FoundRecords {
    let typeName: String
    let condition: String

    /// Prints how many records there are, asks whether to go on, and writes to all of them in one transaction.
    ///
    /// - Parameters:
    ///   - action: what happens to them, such as `delete`.
    ///   - isAgreed: whether `--yes` stands for the answer.
    ///   - prepare: finds mistakes in the command before it asks.
    ///   - write: writes to the records of the request. They are found again in its transaction, so a change since the
    ///     count is not overlooked.
    /// - Returns: what `write` returned; nil when there was no record.
    /// - Throws: ``CommandFailure`` when the user does not agree.
    func write<T: Sendable>(
        _ action: String, to store: Store, isAgreed: Bool, prepare: (OpenType) throws -> Void = { _ in },
        _ write: @escaping @Sendable (Request, Int, inout WriteTransaction) throws -> T
    ) throws -> T? {
        let expected = try store.read { transaction in
            let catalog = transaction._reading.catalog
            let index = try catalog.requireTypeIndex(named: typeName)
            let request = try request(typeIndex: index, in: catalog)
            try prepare(catalog.types[index])
            return try transaction._reading.count(request, typeIndex: index)
        }
        StandardError.writeLine("\(Counted.text(expected, "record")) of \(typeName) found")
        // Also where there is nothing to do, so that a script without --yes fails on its first run.
        if !isAgreed { try Confirmation.requireTerminal("\(action) them") }
        if expected == 0 { return nil }
        guard try isAgreed || Confirmation.ask("\(action) them") else {
            throw CommandFailure(.failed, "nothing was changed")
        }
        return try store.write { transaction in
            let catalog = transaction._reading.catalog
            let index = try catalog.requireTypeIndex(named: typeName)
            return try write(request(typeIndex: index, in: catalog), index, &transaction)
        }
    }

    private func request(typeIndex: Int, in catalog: Catalog) throws -> Request {
        var request = Request()
        let types = catalog.types.map(\.type)
        request.condition = try ExpressionParser.condition(
            condition, of: types[typeIndex], among: types, named: "--where")
        return request
    }
}
