import StoreEngine

/// The dependents of a store, each of which a step visits only where it changed a type that they read.
struct LiveDependents {
    private struct Entry {
        let dependent: LiveDependent
        /// The fields that it reads, by the number of their type.
        var fieldIndexes: [UInt32: FieldIndexSet] = [:]

        mutating func read(_ catalog: Catalog) throws(StoreError) {
            var fieldIndexes: [UInt32: FieldIndexSet] = [:]
            for read in try dependent.reads(catalog) {
                fieldIndexes[read.type, default: FieldIndexSet()].formUnion(read.fieldIndexes)
            }
            self.fieldIndexes = fieldIndexes
        }

        /// Whether a step's changes concern it.
        ///
        /// - Parameter changed: the fields that changed, by the number of the type.
        func isConcerned(by changed: [UInt32: FieldIndexSet]) -> Bool {
            fieldIndexes.contains { type, fieldIndexes in changed[type]?.intersects(fieldIndexes) ?? false }
        }
    }

    /// By numbers in the order in which they came, which is that of telling them.
    private var entries: [UInt64: Entry] = [:]
    private var numbers: [ObjectIdentifier: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// Those that read a type, by its number.
    private var readers: [UInt32: Set<UInt64>] = [:]

    /// How many steps have looked at, together.
    private(set) var visitCount = 0

    var all: [LiveDependent] { inOrder(entries.keys).map(\.dependent) }

    /// Adds one that reads nothing.
    mutating func add(_ dependent: LiveDependent) { enter(Entry(dependent: dependent)) }

    /// - Parameter catalog: that of the step that was applied last.
    /// - Throws: ``StoreError``: why what it reads is not there.
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

    /// Looks again at what one of them reads.
    ///
    /// - Throws: ``StoreError``: why what it reads is not there; all is as before then.
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

    /// Looks again at what each of them reads, by the catalog of a step that changed the schema.
    mutating func read(_ catalog: Catalog) {
        readers = [:]
        for (number, entry) in entries {
            var entry = entry
            // What is not there any more is told by the dependent itself: such a step concerns all.
            try? entry.read(catalog)
            for type in entry.fieldIndexes.keys { readers[type, default: []].insert(number) }
            entries[number] = entry
        }
    }

    /// Adds those that a step concerns to `publication`.
    ///
    /// - Parameter changes: the step's changes; nil where all may have changed.
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
