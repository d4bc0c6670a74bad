import Foundation
import LMDB

/// Verifies the metadata: every required entry exists and decodes, and no entry is unknown.
struct MetadataVerifier {
    /// The feed's head; nil when it cannot be read.
    private(set) var head: FeedHead?
    /// Whether this library knows the format of the store, and with it how the rest of the store must look.
    private(set) var isKnownFormat = true
    /// How the store hashes long keys; nil if the secret is missing or damaged, so that no long key can be checked.
    private(set) var keyHash: KeyHash? = .publicSeeds
    /// Whether the walk read all entries. Only then is an entry that it did not find missing.
    private var isWalked = false
    /// The greatest assigned id of each type, by type number.
    private var counters: [UInt32: UInt64] = [:]
    /// The names of the entries that record the progress of an index build.
    private var building: Set<String> = []
    private var strangers: [String] = []
    /// The sum of the records, which a replica keeps; nil for another store.
    private(set) var content: ContentSum?

    mutating func run(_ databases: VerifiedDatabases, _ snapshot: LMDBSnapshot, _ report: VerifyReport) {
        guard let database = databases[StoreDatabases.metadataName] else { return }
        var entries: [String: [UInt8]] = [:]
        isWalked = report.attempt(.database(StoreDatabases.metadataName)) {
            var cursor = try snapshot.openCursor(database)
            var isPositioned = try cursor.first()
            while isPositioned {
                entries[(try? String(from: cursor.key)) ?? HexText.of(cursor.key)] = cursor.value.array()
                isPositioned = try cursor.next()
            }
        }
        guard isWalked else { return }
        let version = required(MetadataKey.format, &entries, report) { (bytes) throws(CodecError) in
            try UInt32(from: bytes)
        }
        if let version, version > StoreFormat.version || version == 0 {
            report.add(
                .unknown, at: .metadata("format"),
                "the store has format \(version), but this program reads formats 1 to \(StoreFormat.version)")
            isKnownFormat = false
            return
        }
        let secret = String(decoding: MetadataKey.keySecret, as: UTF8.self)
        // Without the version, the entry itself says that the store has a secret.
        if version.map({ $0 > StoreFormat.versionWithLog }) ?? (entries[secret] != nil) {
            keyHash = required(MetadataKey.keySecret, &entries, report) { (bytes) throws(CodecError) in
                unsafe try KeyHash(bytes.span.bytes)
            }
        }
        _ = required(MetadataKey.identity, &entries, report) { (bytes) throws(CodecError) in try UUID(from: bytes) }
        _ = required(MetadataKey.catalogVersion, &entries, report) { (bytes) throws(CodecError) in
            try UInt64(from: bytes)
        }
        _ = required(MetadataKey.home, &entries, report) { (bytes) throws(CodecError) in
            guard bytes.count == 16 else { throw CodecError("16 bytes were expected, but \(bytes.count) were found") }
        }
        head = required(MetadataKey.head, &entries, report) { (bytes) throws(CodecError) in
            unsafe try FeedHead(from: bytes.span.bytes)
        }
        entries[String(decoding: MetadataKey.planVersion, as: UTF8.self)] = nil
        entries[String(decoding: MetadataKey.replica, as: UTF8.self)] = nil
        entries[String(decoding: MetadataKey.redoLog, as: UTF8.self)] = nil
        if let bytes = entries.removeValue(forKey: Self.contentName) {
            do {
                content = unsafe try ContentSum(bytes.span.bytes)
            } catch {
                report.add(.undecodable, at: .metadata(Self.contentName), error.reason)
            }
        }
        for (name, bytes) in entries.sorted(by: { $0.key < $1.key }) { readEntry(name, bytes, report) }
    }

    private static let contentName = String(decoding: MetadataKey.content, as: UTF8.self)

    /// Reports that the records of a replica are not those that its log has given it.
    func checkContent(_ found: ContentSum, _ report: VerifyReport) {
        guard let content, content != found else { return }
        report.add(
            .contradiction, at: .metadata(Self.contentName),
            "the records have the sum \(found), but the log has given this replica \(content): let it rejoin")
    }

    private func required<T>(
        _ key: [UInt8], _ entries: inout [String: [UInt8]], _ report: VerifyReport,
        _ decode: ([UInt8]) throws(CodecError) -> T
    ) -> T? {
        let name = String(decoding: key, as: UTF8.self)
        guard let bytes = entries.removeValue(forKey: name) else {
            report.add(.missing, at: .metadata(name), "the entry is missing")
            return nil
        }
        do {
            return try decode(bytes)
        } catch {
            report.add(.undecodable, at: .metadata(name), error.reason)
            return nil
        }
    }

    /// Reads an entry of one type or consumer: the greatest assigned id, the progress of an index build, or a consumer's
    /// interest.
    private mutating func readEntry(_ name: String, _ bytes: [UInt8], _ report: VerifyReport) {
        if name.hasPrefix(MetadataKey.interestPrefix) {
            do {
                _ = try ConsumerInterest(from: bytes)
            } catch {
                report.add(.undecodable, at: .metadata(name), error.reason)
            }
            return
        }
        if name.hasPrefix("building.") {
            building.insert(name)
            if bytes.count < 8 { report.add(.undecodable, at: .metadata(name), "8 bytes and a key were expected") }
            return
        }
        guard name.hasPrefix("assigned."), let type = UInt32(name.dropFirst("assigned.".count)) else {
            strangers.append(name)
            return
        }
        do {
            counters[type] = try UInt64(from: bytes)
        } catch {
            counters[type] = .max
            report.add(.undecodable, at: .metadata(name), error.reason)
        }
    }

    /// Reports a counter that would assign an id a second time.
    ///
    /// - Parameter greatest: the greatest id that a record has or had.
    mutating func checkCounter(of type: OpenType, greatest: UInt64, _ report: VerifyReport) {
        let counter = counters.removeValue(forKey: type.type.id)
        let location = VerifyLocation.metadata(
            String(decoding: MetadataKey.assigned(type: type.type.id), as: UTF8.self))
        guard type.assignedFieldIndex != nil else {
            if counter != nil { report.add(.unknown, at: location, "\(type.name) has no assigned ids") }
            return
        }
        guard isWalked, (counter ?? 0) < greatest else { return }
        report.add(
            .contradiction, at: location,
            "the greatest assigned id of \(type.name) is \(counter ?? 0), but \(greatest) has been assigned")
    }

    /// Reports entries that belong to nothing in the catalog, and entries with unknown names.
    mutating func reportStrangers(knownTypes: Set<UInt32>, types: [OpenType], _ report: VerifyReport) {
        for type in types {
            for index in type.type.indexes where index.isBuilding {
                let key = MetadataKey.building(type: type.type.id, index: index.id)
                building.remove(String(decoding: key, as: UTF8.self))
            }
        }
        for name in building.sorted() {
            report.add(.unknown, at: .metadata(name), "the catalog has no such index under construction")
        }
        for type in counters.keys.sorted() where !knownTypes.contains(type) {
            report.add(.unknown, at: .metadata("assigned.\(type)"), "the catalog has no record type \(type)")
        }
        for name in strangers { report.add(.unknown, at: .metadata(name), "this format has no such entry") }
    }
}
