import StoreEngine

/// The tables of live models of a store, in the order in which they were first asked for, so that programs that run twice alike are
/// told in the same order.
struct ModelTables {
    private(set) var all: [any ModelTable] = []
    private var places: [ObjectIdentifier: Int] = [:]
    private var isEnded = false

    /// The table of a record type.
    mutating func table<R: Record>(_ type: R.Type, _ make: () -> TypedModelTable<R>) -> TypedModelTable<R> {
        if let place = places[ObjectIdentifier(type)], let table = all[place] as? TypedModelTable<R> { return table }
        let table = make()
        if isEnded { table.endAll() }
        places[ObjectIdentifier(type)] = all.count
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
