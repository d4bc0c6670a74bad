import LMDB
import StoreEngine

/// Builds the indexes that a schema change added, in chunks. Other writes can run between two chunks.
struct IndexBuilder {
    let core: StoreCore
    /// Whether to remove an index that cannot be built, so that the store is as it was before the index was added.
    let dropsUnbuildable: Bool

    /// The most records in a chunk. A chunk takes some ten milliseconds, and other writes wait that long.
    private static let chunkCount = 4_096

    /// Builds all missing indexes.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation`, naming two records with the same value.
    func run() throws {
        // Checks the known state first: a step is a write transaction, which waits for other writers.
        while isNeeded, let progress = try core.perform({ try step() }) { core.options.indexProgress?(progress) }
    }

    private var isNeeded: Bool {
        core.state.catalog.types.contains { type in type.indexes.contains(where: \.stored.isBuilding) }
    }

    /// Builds one chunk on the writer thread. Returns nil when there is nothing to build.
    private func step() throws -> IndexProgress? {
        var current: (type: RecordType, index: StoredIndex)?
        do {
            var progress: IndexProgress?
            try core.catalog.edit(usesReserve: false) { editor in
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
