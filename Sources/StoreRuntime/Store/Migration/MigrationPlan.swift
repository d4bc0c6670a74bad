public import StoreEngine

/// The versions that a program's record types went through, oldest first, and the steps from each version to the next.
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
/// Use a plan for schema changes that opening a store does not make by itself. Open the store with the record types of the newest
/// version.
///
/// The store reaches each version in one transaction with all its steps, or not at all. A store that is several versions behind
/// takes them one after the other. The store keeps the name of its version.
///
/// If the store has no version name yet, the plan starts from the newest version whose record types the store has exactly as
/// declared. If there is none, the store may be older than some of the types. The plan then starts from the oldest version that
/// matches apart from the missing types.
///
/// Opening fails before any step runs if the program opens the store with a record type that the plan leaves behind. It also
/// fails if the plan has steps to run and this process already has the store open.
public struct MigrationPlan: Sendable {
    /// The versions, oldest first.
    public let versions: [MigrationVersion]

    /// Creates a plan of versions, oldest first. Each version needs a name of its own.
    public init(_ versions: MigrationVersion...) { self.versions = versions }

    /// Creates a plan of versions in an array.
    public init(_ versions: [MigrationVersion]) { self.versions = versions }

    /// Throws if a program opens a store with record types that the plan leaves behind: opening would add them again after the
    /// last step.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func requireNewest(_ records: [any Record.Type]) throws(StoreError) {
        guard let newest = versions.last else { return }
        for record in records where !newest.declares(record) {
            let name = record.recordSchema.name
            let isInNewest = newest.records.contains { $0.recordSchema.name == name }
            let isLeft = replacedTypes(upTo: versions.count - 1).contains(name)
            guard isLeft || isInNewest && versions.contains(where: { $0.knows(record) }) else { continue }
            let fault = isInNewest ? "declares \(name) differently" : "comes after a step that replaces \(name)"
            throw StoreError(
                .invalidValue,
                "the store is opened with \(String(reflecting: record)), but the newest version \"\(newest.name)\" "
                    + "of the migration plan \(fault)",
                remedy: "open the store with the record types of the newest version, or add a version that declares it")
        }
    }

    /// Returns the names of the record types that a step up to this version replaces and that the version does not declare.
    func replacedTypes(upTo versionIndex: Int) -> [String] {
        let declared = versions[versionIndex].records.map { $0.recordSchema.name }
        return versions[...versionIndex].flatMap(\.steps).compactMap { $0.replacement?.old.recordSchema.name }
            .filter { !declared.contains($0) }
    }
}

/// One version of a program's record types.
public struct MigrationVersion: Sendable {
    /// The version's name, which the store keeps.
    public let name: String
    /// The record types as they are in this version.
    public let records: [any Record.Type]
    /// The steps from the version before to this one.
    public let steps: [MigrationStep]

    /// Returns whether the version declares a Swift type, or another type with an equal schema.
    fileprivate func declares(_ record: any Record.Type) -> Bool {
        records.contains { $0 == record || $0.recordSchema == record.recordSchema }
    }

    /// Returns whether the version declares a Swift type, or a step takes its records from that type.
    fileprivate func knows(_ record: any Record.Type) -> Bool {
        declares(record) || steps.contains { $0.replacement?.old == record }
    }

    /// Creates a version.
    ///
    /// - Parameters:
    ///   - name: a name that no other version of the plan has.
    ///   - records: the record types as they are in this version, including those that a step creates.
    ///   - steps: the steps from the version before to this one. Changes that need no step, such as new optional fields, happen
    ///     by themselves.
    public init<each R: Record>(_ name: String, _ records: repeat (each R).Type, steps: MigrationStep...) {
        var types: [any Record.Type] = []
        repeat types.append((each records).self)
        self.init(name, records: types, steps: steps)
    }

    /// Creates a version with record types and steps in arrays.
    public init(_ name: String, records: [any Record.Type], steps: [MigrationStep] = []) {
        self.name = name
        self.records = records
        self.steps = steps
    }
}
