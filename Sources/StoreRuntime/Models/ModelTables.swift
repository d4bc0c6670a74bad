import StoreEngine

/// The tables of live models of a store, in the order in which they were first asked for, so that programs that run twice alike are
/// told in the same order.
struct ModelTables {
    private(set) var all: [any ModelTable] = []
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var isEnded = false

    /// The table of a record type.
    mutating func table<R: Record>(_ type: R.Type, _ make: () -> TypedModelTable<R>) -> TypedModelTable<R> {
        if let number = numbers[ObjectIdentifier(type)], let table = all[number] as? TypedModelTable<R> { return table }
        let table = make()
        if isEnded { table.endAll() }
        numbers[ObjectIdentifier(type)] = all.count
        all.append(table)
        return table
    }

    /// Has the models of tables that are asked for from here on end at once.
    ///
    /// - Returns: the tables that there are.
    mutating func end() -> [any ModelTable] {
        isEnded = true
        return all
    }
}
