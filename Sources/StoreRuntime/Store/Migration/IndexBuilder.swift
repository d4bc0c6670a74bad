import LMDB
import StoreEngine

/// Builds the indexes that a change of the schema added, chunk after chunk between the writes of others.
struct IndexBuilder {
    let core: StoreCore
    /// Whether an index that cannot be built goes, so that the store is as before it was added.
    let dropsUnbuildable: Bool

    /// The most records in a chunk: some ten milliseconds, for which other writes wait.
    private static let chunkCount = 4_096

    /// Builds all of them.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation` naming two records with one value.
    func run() throws {
        // Asked of what is known first: a look at the store is a write transaction, which waits for other writers.
        while isNeeded, let progress = try core.perform({ try step() }) { core.options.indexProgress?(progress) }
    }

    private var isNeeded: Bool {
        core.state.catalog.types.contains { type in type.indexes.contains(where: \.stored.isBuilding) }
    }

    /// One chunk, on the writer thread; nil when nothing is to be built.
    private func step() throws -> IndexProgress? {
        var current: (type: RecordType, index: StoredIndex)?
        do {
            var progress: IndexProgress?
            try core.catalog.edit { editor in
                current = editor.building.first
                if let current { progress = try step(current.type, current.index, &editor) }
            }
            return progress
        } catch let error as StoreError where error.code == .uniqueViolation {
            if dropsUnbuildable, let current {
                try core.catalog.removeUnbuilt(index: current.index.id, ofType: current.type.id)
            }
            throw error
        }
    }

    private func step(
        _ type: RecordType, _ index: StoredIndex, _ editor: inout CatalogEditor
    ) throws -> IndexProgress {
        let step = try editor.build(index, of: type, limit: Self.chunkCount)
        let names = index.fields.compactMap { number in type.fields.first { $0.id == number }?.name }
        return IndexProgress(
            type: type.name, fields: names, doneCount: step.doneCount, totalCount: try editor.count(of: type),
            isComplete: step.isComplete)
    }
}
