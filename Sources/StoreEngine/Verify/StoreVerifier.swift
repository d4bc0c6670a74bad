package import LMDB

/// Checks all parts of a store against each other, in one snapshot.
///
/// The walk covers metadata, the catalog, the databases, the feed, the records, indexes and counters of each type, the samples of
/// the records, and the trail. If all of these are right, it also checks the pages of the file. It reads the raw databases
/// instead of an open `Store`, so that it also works where damage keeps a store from opening. The walk reports a damaged part
/// once and leaves it out of later comparisons, so that one cause does not give many findings.
package enum StoreVerifier {
    /// Verifies the store in `snapshot`.
    ///
    /// The time is linear in the size of the store, with a look-up for each index entry. The walk needs memory for the keys of
    /// the records that the feed names.
    ///
    /// - Parameters:
    ///   - onProgress: called from time to time with the number of entries that the walk has read.
    ///   - onFinding: called with each finding, when the walk reaches it.
    /// - Returns: the numbers of verified items and of findings.
    /// - Throws: ``StoreError``: `notAStore` when the environment has none of a store's databases; LMDB errors before the first
    ///   finding, such as `inUse` when another process has just created a database.
    package static func verify(
        _ snapshot: LMDBSnapshot, onProgress: @escaping (_ visited: Int) -> Void = { _ in },
        onFinding: @escaping (VerifyFinding) -> Void
    ) throws(StoreError) -> VerifySummary {
        let databases = try VerifiedDatabases(snapshot)
        guard StoreDatabases.fixedNames.contains(where: { databases[$0] != nil }) else {
            throw StoreError(.notAStore, "the directory holds no store", remedy: "name the directory of a store")
        }
        if let metadata = databases[StoreDatabases.metadataName],
            (try? StoreFormat.isUnborn(metadata: metadata, snapshot)) == true
        {
            throw StoreError(
                .notAStore, "the creation of the store has not ended", remedy: "open it once for writing")
        }
        let report = VerifyReport(onFinding, onProgress: onProgress)
        var metadata = MetadataVerifier()
        metadata.run(databases, snapshot, report)
        guard metadata.isKnownFormat, let keyHash = metadata.keyHash else { return report.summary }

        var catalog = CatalogVerifier(keyHash)
        catalog.run(databases, snapshot, report)
        guard catalog.isWalked else {
            databases.reportUnchecked(snapshot, report)
            return report.summary
        }
        databases.reportStrangers(knownTypes: catalog.typeNumbers, report)

        let feed = FeedVerifier(head: metadata.head, catalog: catalog)
        if let database = databases[StoreDatabases.feedName] {
            let isWalked = report.attempt(.feed(sequence: nil, fragment: nil, change: nil)) {
                try feed.run(database, snapshot, report)
            }
            // A partly read feed gives earlier states of records, not their current states.
            if !isWalked { feed.states.forgetAll() }
        }
        var walked: [OpenType] = []
        let references = ReferenceVerifier(catalog.types)
        var content = ContentSum()
        for type in catalog.types {
            references.checkTargets(of: type, report)
            let records = RecordVerifier(
                type, states: feed.states, references: references, sumsContent: metadata.content != nil)
            let isWalked = report.attempt(.database(StoreDatabases.recordsName(type: type.type.id))) {
                try records.run(snapshot, report)
            }
            // Records that the walk did not reach are not lost.
            if isWalked { walked.append(type) } else { feed.states.forget(type: type.type.id) }
            if let sum = records.content { content += sum }
            for index in type.indexes {
                let name = StoreDatabases.indexName(type: type.type.id, index: index.stored.id)
                guard isWalked else {
                    databases.reportUnchecked(name, "the records cannot be read", snapshot, report)
                    continue
                }
                report.attempt(.database(name)) {
                    try IndexVerifier(type, index).run(snapshot, report)
                }
            }
            metadata.checkCounter(of: type, greatest: max(records.greatestID, feed.greatestID(of: type)), report)
        }
        if let database = databases[StoreDatabases.statisticsName] {
            report.attempt(.database(StoreDatabases.statisticsName)) {
                try StatisticsVerifier.run(walked, knownTypes: catalog.typeNumbers, database, snapshot, report)
            }
        }
        if let database = databases[StoreDatabases.trailName] {
            report.attempt(.database(StoreDatabases.trailName)) {
                try TrailVerifier(head: metadata.head).run(database, snapshot, report)
            }
        }
        // A finding so far explains another sum.
        if report.summary.findingCount == 0 { metadata.checkContent(content, report) }
        if report.summary.findingCount == 0 { databases.checkPages(snapshot, report) }
        feed.states.reportLost(catalog, databases[StoreDatabases.feedName], snapshot, report)
        metadata.reportStrangers(knownTypes: catalog.typeNumbers, types: catalog.types, report)
        return report.summary
    }
}
