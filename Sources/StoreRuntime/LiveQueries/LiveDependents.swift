import StoreEngine

/// The dependents of a store. A step visits a dependent only if it changed a type that the dependent reads.
struct LiveDependents {
    private struct Entry {
        let dependent: LiveDependent
        /// The field indexes that the dependent reads, by type number.
        var fieldIndexes: [UInt32: FieldIndexSet] = [:]

        mutating func read(_ catalog: Catalog) throws(StoreError) {
            var fieldIndexes: [UInt32: FieldIndexSet] = [:]
            for read in try dependent.reads(catalog) {
                fieldIndexes[read.type, default: FieldIndexSet()].formUnion(read.fieldIndexes)
            }
            self.fieldIndexes = fieldIndexes
        }

        /// Whether a step changed a field that the dependent reads.
        ///
        /// - Parameter changed: the indexes of the changed fields, by type number.
        func isConcerned(by changed: [UInt32: FieldIndexSet]) -> Bool {
            fieldIndexes.contains { type, fieldIndexes in changed[type]?.intersects(fieldIndexes) ?? false }
        }
    }

    /// By number, in the order of registration. Steps notify dependents in this order.
    private var entries: [UInt64: Entry] = [:]
    private var numbers: [ObjectIdentifier: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// The numbers of the dependents that read a type, by type number.
    private var readers: [UInt32: Set<UInt64>] = [:]

    /// How many dependents all steps together have visited.
    private(set) var visitCount = 0

    var all: [LiveDependent] { inOrder(entries.keys).map(\.dependent) }

    /// Adds a dependent that reads nothing.
    mutating func add(_ dependent: LiveDependent) { enter(Entry(dependent: dependent)) }

    /// Adds a dependent with the fields that it reads.
    ///
    /// - Parameter catalog: the catalog of the last applied step.
    /// - Throws: ``StoreError`` if the catalog lacks a type or field that the dependent reads.
    mutating func add(_ dependent: LiveDependent, _ catalog: Catalog) throws(StoreError) {
        var entry = Entry(dependent: dependent)
        try entry.read(catalog)
        enter(entry)
    }

    private mutating func enter(_ entry: Entry) {
        lastNumber += 1
        entries[lastNumber] = entry
        numbers[ObjectIdentifier(entry.dependent)] = lastNumber
        for type in entry.fieldIndexes.keys { readers[type, default: []].insert(lastNumber) }
    }

    /// Determines again which fields a dependent reads.
    ///
    /// - Throws: ``StoreError`` if the catalog lacks a type or field that the dependent reads; nothing changes then.
    mutating func read(_ dependent: LiveDependent, _ catalog: Catalog) throws(StoreError) {
        guard let number = numbers[ObjectIdentifier(dependent)], let old = entries[number] else { return }
        var entry = old
        try entry.read(catalog)
        forget(old, number)
        entries[number] = entry
        for type in entry.fieldIndexes.keys { readers[type, default: []].insert(number) }
    }

    mutating func remove(_ dependent: LiveDependent) {
        guard let number = numbers.removeValue(forKey: ObjectIdentifier(dependent)),
            let entry = entries.removeValue(forKey: number)
        else { return }
        forget(entry, number)
    }

    private mutating func forget(_ entry: Entry, _ number: UInt64) {
        for type in entry.fieldIndexes.keys {
            readers[type]?.remove(number)
            if readers[type]?.isEmpty ?? false { readers[type] = nil }
        }
    }

    func isInterested(inType number: UInt32) -> Bool { readers[number] != nil }

    /// Determines again which fields each dependent reads, from the catalog of a step that changed the schema.
    mutating func read(_ catalog: Catalog) {
        readers = [:]
        for (number, entry) in entries {
            var entry = entry
            // The dependent itself reports a missing type or field: a step that changes the schema concerns every dependent.
            try? entry.read(catalog)
            for type in entry.fieldIndexes.keys { readers[type, default: []].insert(number) }
            entries[number] = entry
        }
    }

    /// Adds the dependents that a step concerns to `publication`.
    ///
    /// - Parameter changes: the step's changes; nil if every record may have changed.
    mutating func apply(_ changes: [StepChange]?, _ publication: inout Publication) {
        if readers.isEmpty { return }
        var changed: [UInt32: FieldIndexSet] = [:]
        for change in changes ?? [] {
            changed[change.type.type.id, default: FieldIndexSet()].formUnion(change.changedFieldIndexes)
        }
        var visited: Set<UInt64> = []
        for (type, numbers) in readers where changes == nil || changed[type] != nil { visited.formUnion(numbers) }
        visitCount += visited.count
        let concerned = inOrder(visited).filter { changes == nil || $0.isConcerned(by: changed) }
        publication.others += concerned.map(\.dependent)
    }

    private func inOrder(_ numbers: some Collection<UInt64>) -> [Entry] { numbers.sorted().compactMap { entries[$0] } }
}
