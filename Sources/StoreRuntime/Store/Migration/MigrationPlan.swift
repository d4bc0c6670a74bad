public import StoreEngine

/// The versions that a program's record types went through, oldest first, and how to get from each to the next.
///
/// ```swift
/// var options = StoreOptions()
/// options.migrations = MigrationPlan(
///     MigrationVersion("1", V1.Person.self),
///     MigrationVersion("2", Person.self, steps: .transform(V1.Person.self, to: Person.self) { old in
///         let names = old.name.split(separator: " ", maxSplits: 1)
///         return Person(id: old.id, given: String(names[0]), family: names.count > 1 ? String(names[1]) : "")
///     }))
/// let store = try Store(at: path, records: Person.self, options: options)
/// ```
///
/// A plan is for changes that opening a store does not make by itself. Each version is reached in one transaction, with all
/// its steps, or not at all; a store that is several versions behind takes one after the other. The name of the version
/// stays in the store. Where it has none yet, the newest version whose record types are just those in the store is taken for
/// the store's; where none is, since the store is from before some of them came up, the oldest that is but for these.
///
/// Open the store with the record types of the newest version. One that the plan leaves behind is an error before any step
/// runs. So is a plan with steps to run where this process has the store open already.
public struct MigrationPlan: Sendable {
    /// The versions, oldest first.
    public let versions: [MigrationVersion]

    /// A plan of versions, oldest first, each with a name of its own.
    public init(_ versions: MigrationVersion...) { self.versions = versions }

    /// A plan of versions in an array.
    public init(_ versions: [MigrationVersion]) { self.versions = versions }

    /// Fails where a program opens a store with record types that the plan leaves behind: opening would bring them back after
    /// the last step.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func requireNewest(_ records: [any Record.Type]) throws(StoreError) {
        guard let newest = versions.last else { return }
        for record in records where !newest.declares(record) {
            let name = record.recordSchema.name
            let isInNewest = newest.records.contains { $0.recordSchema.name == name }
            let isLeft = replacedTypes(upTo: versions.count - 1).contains(name)
            guard isLeft || isInNewest && versions.contains(where: { $0.knows(record) }) else { continue }
            let fault = isInNewest ? "declares \(name) otherwise" : "comes after a step that replaces \(name)"
            throw StoreError(
                .invalidValue,
                "the store is opened with \(String(reflecting: record)), but the newest version \"\(newest.name)\" "
                    + "of the migration plan \(fault)",
                remedy: "open the store with the record types of the newest version, or add a version that declares it")
        }
    }

    /// The names of the record types that a step to a version, or to one before it, replaces and the version does not declare.
    func replacedTypes(upTo versionIndex: Int) -> [String] {
        let declared = versions[versionIndex].records.map { $0.recordSchema.name }
        return versions[...versionIndex].flatMap(\.steps).compactMap { $0.replacement?.old.recordSchema.name }
            .filter { !declared.contains($0) }
    }
}

/// One version of a program's record types.
public struct MigrationVersion: Sendable {
    /// The version's name, which stays in the store.
    public let name: String
    /// The record types as they are in this version.
    public let records: [any Record.Type]
    /// How to get here from the version before.
    public let steps: [MigrationStep]

    /// Whether the version declares a Swift type, or one like it.
    fileprivate func declares(_ record: any Record.Type) -> Bool {
        records.contains { $0 == record || $0.recordSchema == record.recordSchema }
    }

    /// Whether a Swift type is one of the version's or one that a step takes its records from.
    fileprivate func knows(_ record: any Record.Type) -> Bool {
        declares(record) || steps.contains { $0.replacement?.old == record }
    }

    /// - Parameters:
    ///   - name: any text that no other version of the plan has.
    ///   - records: the record types as they are in this version; those that a step makes included.
    ///   - steps: how to get here from the version before; what needs no step, as new optional fields, happens by itself.
    public init<each R: Record>(_ name: String, _ records: repeat (each R).Type, steps: MigrationStep...) {
        var types: [any Record.Type] = []
        repeat types.append((each records).self)
        self.init(name, records: types, steps: steps)
    }

    /// A version with record types and steps in arrays.
    public init(_ name: String, records: [any Record.Type], steps: [MigrationStep] = []) {
        self.name = name
        self.records = records
        self.steps = steps
    }
}
