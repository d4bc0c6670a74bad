import StoreEngine
import StoreExpressions
import StoreRuntime

/// The records that `--where` finds, which a command changes or deletes after the user agrees.
struct FoundRecords {
    let typeName: String
    let condition: String

    /// Prints the number of records, asks whether to continue, and writes to all of them in one transaction.
    ///
    /// - Parameters:
    ///   - action: the action on the records, such as `delete`.
    ///   - isAgreed: whether `--yes` replaces the question.
    ///   - isDry: whether the write is withdrawn. Nothing is asked then.
    ///   - prepare: finds mistakes in the command before the question.
    ///   - write: writes to the records of the request. Its transaction finds them again, so it covers changes since the count.
    /// - Returns: the records that were written, or would be; nil if no record was found.
    /// - Throws: ``CommandFailure`` if the user does not agree.
    func write(
        _ action: String, to store: Store, isAgreed: Bool, isDry: Bool, prepare: (OpenType) throws -> Void = { _ in },
        _ write: @escaping @Sendable (Request, Int, inout WriteTransaction) throws -> Void
    ) throws -> WrittenRecords? {
        let isAgreed = isAgreed || isDry
        let expected = try store.read { transaction in
            let catalog = transaction._reading.catalog
            let index = try catalog.requireTypeIndex(named: typeName)
            let request = try request(typeIndex: index, in: catalog)
            try prepare(catalog.types[index])
            return try transaction._reading.count(request, typeIndex: index)
        }
        StandardError.writeLine("\(Counted.text(expected, "record")) of \(typeName) found")
        // Also if there is nothing to do, so that a script without --yes fails on its first run.
        if !isAgreed { try Confirmation.requireTerminal("\(action) them") }
        if expected == 0 { return nil }
        guard try isAgreed || Confirmation.ask("\(action) them") else {
            throw CommandFailure(.failed, "nothing was changed")
        }
        return try store.trialWrite(committingIf: { _ in !isDry }) { transaction in
            let catalog = transaction._reading.catalog
            let index = try catalog.requireTypeIndex(named: typeName)
            let request = try request(typeIndex: index, in: catalog)
            let count = try transaction._reading.count(request, typeIndex: index)
            try write(request, index, &transaction)
            return try WrittenRecords(typeName, namedCount: count, in: transaction)
        }.result
    }

    private func request(typeIndex: Int, in catalog: Catalog) throws -> Request {
        var request = Request()
        let types = catalog.types.map(\.type)
        request.condition = try ExpressionParser.condition(
            condition, of: types[typeIndex], among: types, named: "--where")
        return request
    }
}
