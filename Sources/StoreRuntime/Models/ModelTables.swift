import StoreEngine

/// The tables of a store's live models, in the order in which they were first asked for. Two equal runs of a program therefore
/// notify models in the same order.
struct ModelTables {
    private(set) var all: [any ModelTable] = []
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var isEnded = false

    /// Returns the table of a record type.
    mutating func table<R: Record>(_ type: R.Type, _ make: () -> TypedModelTable<R>) -> TypedModelTable<R> {
        if let number = numbers[ObjectIdentifier(type)], let table = all[number] as? TypedModelTable<R> { return table }
        let table = make()
        if isEnded { table.endAll() }
        numbers[ObjectIdentifier(type)] = all.count
        all.append(table)
        return table
    }

    /// Ends the models of all later tables as soon as they are added.
    ///
    /// - Returns: the existing tables.
    mutating func end() -> [any ModelTable] {
        isEnded = true
        return all
    }
}
