#if Etcd
import Foundation
public import ModelStoreReplication
import StoreEngine
import Synchronization

/// A shared log in an etcd cluster.
///
/// ```swift
/// let log = try await EtcdLog.open(
///     name: "thermo", endpoints: ["http://10.0.0.1:2379", "http://10.0.0.2:2379", "http://10.0.0.3:2379"])
/// let store = try await Store.open(
///     at: "thermo.store", records: Sensor.self, replication: .shared(log, node: "a"))
/// ```
///
/// All keys begin with `/modelstore/NAME/`. An append is one transaction, which compares the head and puts the entry and the new
/// head. The cluster's majority makes it durable.
///
/// - `newestSent` is protected by its mutex.
public final class EtcdLog: SharedLog {
    /// The most bytes of an entry: 16 MiB. One of more than 1 MiB takes several requests, because a cluster refuses those of more
    /// than 1.5 MiB unless it was started with another limit.
    public let maximumEntryByteCount = 16 << 20
    private static let partByteCount = 1 << 20

    private let keys: EtcdKeys
    private let calls: EtcdCalls
    private let quotaByteCount: Int
    /// The newest entry that this object has sent. The watch of its appends wakes the other nodes only.
    private let newestSent = Mutex<LogPosition?>(nil)

    /// Opens the log, and makes it if the cluster lacks it.
    ///
    /// - Parameters:
    ///   - name: the name of the log, without slashes. A cluster can have several.
    ///   - endpoints: the addresses of the cluster's members, as `http://HOST:PORT` or `https://HOST:PORT`. One is used at a
    ///     time.
    ///   - tls: the certificates for addresses with `https`.
    ///   - user: the name of a user of the cluster; nil if it asks for none.
    ///   - password: the user's password. It is never printed.
    ///   - quotaByteCount: the quota with which the cluster was started (`--quota-backend-bytes`). A cluster from version 3.6 on
    ///     tells it itself.
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`; `refused` for a mistake in the parameters and for a
    ///   version of etcd before 3.4.
    public static func open(
        name: String, endpoints: [String], tls: EtcdTLS? = nil, user: String? = nil, password: String = "",
        quotaByteCount: Int = defaultQuotaByteCount
    ) async throws(SharedLogError) -> EtcdLog {
        guard !name.isEmpty, !name.contains("/") else {
            throw SharedLogError(.refused, "the name of a log has one letter or more, and no slash")
        }
        guard quotaByteCount > 0 else {
            throw SharedLogError(
                .refused, "the quota of a cluster is \(quotaByteCount) bytes, but must be greater than 0")
        }
        var addresses: [EtcdEndpoint] = []
        for endpoint in endpoints { addresses.append(try EtcdEndpoint(endpoint)) }
        guard !addresses.isEmpty else { throw SharedLogError(.refused, "a log in etcd needs an endpoint") }
        guard tls != nil || !addresses.contains(where: \.isSecure) else {
            throw SharedLogError(.refused, "an endpoint with https needs certificates: EtcdTLS.files, or --etcd-ca")
        }
        let transport: EtcdTransport
        do {
            transport = EtcdTransport(addresses, try tls?.context())
        } catch {
            throw SharedLogError(.refused, "the certificates for etcd cannot be read: \(error)")
        }
        let calls = EtcdCalls(transport, user.map { EtcdCalls.Credentials(user: $0, password: password) })
        let log = EtcdLog(EtcdKeys(name: name), calls, quotaByteCount)
        try await log.begin()
        return log
    }

    /// The quota of a cluster that was started without one: 2 GiB.
    public static let defaultQuotaByteCount = 2 << 30

    private init(_ keys: EtcdKeys, _ calls: EtcdCalls, _ quotaByteCount: Int) {
        self.keys = keys
        self.calls = calls
        self.quotaByteCount = quotaByteCount
    }

    private func begin() async throws(SharedLogError) {
        let version = try await calls.status().version
        let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2, (numbers[0], numbers[1]) >= (3, 4) else {
            throw SharedLogError(.refused, "etcd \(version) is older than 3.4")
        }
        let start = LogPosition.start(generation: 1).stored
        var request = EtcdTxnRequest()
        request.compare = [.isAbsent(keys.head)]
        request.success = [.put(keys.head, start), .put(keys.floor, start)]
        do throws(SharedLogError) {
            _ = try await calls.transact(request, .once)
        } catch {
            // Nothing was appended, whatever was lost.
            throw error.code == .unknown ? SharedLogError(.unavailable, error.message) : error
        }
    }

    // MARK: Entries

    /// Returns the newest position.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`.
    public func head() async throws(SharedLogError) -> LogPosition {
        var request = EtcdTxnRequest()
        request.success = [.get(keys.head)]
        return try position(try await calls.transact(request, .repeatable).responses.first)
    }

    /// Appends an entry if the log's head is the entry before it. Waits at most 6 seconds for the answer to each request.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unknown` if there was no answer; `unavailable`, `full`, `refused`,
    ///   `entryTooLarge`; `diverged`, `trimmed` and `otherGeneration` if the log cannot be read on from the entry before.
    public func append(_ entry: LogEntry) async throws(SharedLogError) -> AppendOutcome {
        guard entry.bytes.count <= maximumEntryByteCount else {
            throw SharedLogError(
                .entryTooLarge, "an entry of \(entry.bytes.count) bytes is longer than \(maximumEntryByteCount)")
        }
        let isLong = entry.bytes.count > Self.partByteCount
        if isLong { try await putParts(of: entry) }
        var request = EtcdTxnRequest()
        request.compare = [.has(keys.head, entry.previous.stored)]
        let stored = isLong ? EtcdEntryNote(entry).stored : entry.bytes
        request.success = [.put(keys.entry(entry.position.index), stored), .put(keys.head, entry.position.stored)]
        // Usually there are only a few new entries.
        request.failure = reading(after: entry.previous.index, count: Self.firstCount)
        newestSent.withLock { $0 = entry.position }
        let response = try await calls.transact(request, .once)
        if response.succeeded { return .appended }
        let batch = try await batch(response, after: entry.previous, maximumByteCount: Self.conflictByteCount)
        if isLong, let winner = batch.entries.first, winner.writeID != entry.writeID { await removeParts(of: entry) }
        return .conflict(batch)
    }

    /// The most bytes of the entries that come with a conflict, beyond the first of them.
    private static let conflictByteCount = 1 << 20

    /// Puts the parts of a long entry, while the entry before it is the newest.
    private func putParts(of entry: LogEntry) async throws(SharedLogError) {
        for (number, start) in stride(from: 0, to: entry.bytes.count, by: Self.partByteCount).enumerated() {
            let bytes = entry.bytes[start..<min(start + Self.partByteCount, entry.bytes.count)]
            var request = EtcdTxnRequest()
            request.compare = [.has(keys.head, entry.previous.stored)]
            request.success = [
                .put(keys.part(UInt32(number), entry.position.index, of: entry.writeID), Array(bytes))
            ]
            // If the head has moved, the append returns the entries that moved it.
            guard try await calls.transact(request, .repeatable).succeeded else { return }
        }
    }

    /// Removes the parts of an entry that is not in the log and never will be. Without an answer, they are removed with their
    /// index.
    private func removeParts(of entry: LogEntry) async {
        let start = keys.parts(entry.position.index, of: entry.writeID)
        var request = EtcdTxnRequest()
        request.success = [.remove(start, EtcdKeys.end(of: start))]
        _ = try? await calls.transact(request, .once)
    }

    /// Returns the entry of a note.
    private func entry(_ note: EtcdEntryNote, at index: UInt64) async throws(SharedLogError) -> LogEntry {
        let start = keys.parts(index, of: note.writeID)
        var request = EtcdTxnRequest()
        request.success = [.range(start, EtcdKeys.end(of: start), limit: 0), .get(keys.entry(index))]
        let responses = try await calls.transact(request, .repeatable).responses
        guard responses.count == 2 else { throw Self.unexpected }
        guard !responses[1].responseRange.kvs.isEmpty else {
            throw SharedLogError(.unavailable, "entry \(index) was removed while it was read")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(note.byteCount)
        for part in responses[0].responseRange.kvs { bytes += part.value }
        guard bytes.count == note.byteCount else {
            throw SharedLogError(
                .damaged, "the log has \(bytes.count) of the \(note.byteCount) bytes of entry \(index)")
        }
        return try LogEntry(bytes)
    }

    /// Returns the entries after a position, as many as fit in `maximumByteCount`, and at least one if there is one.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`, `diverged`, `trimmed`, `otherGeneration`.
    public func entries(after position: LogPosition, maximumByteCount: Int) async throws(SharedLogError) -> LogBatch {
        // The cluster limits an answer by its number of entries only. Each answer has at most four times as many as the one
        // before.
        var count = Self.firstCount
        var found: [LogEntry] = []
        var byteCount = 0
        while true {
            let last = found.last?.position ?? position
            var request = EtcdTxnRequest()
            request.success = reading(after: last.index, count: count)
            let next = try await batch(
                try await calls.transact(request, .repeatable), after: last,
                maximumByteCount: maximumByteCount - byteCount)
            // The first entry of an answer may be longer than the rest of the limit.
            let rest = maximumByteCount - byteCount
            let isFitting = found.isEmpty || next.entries.allSatisfy { $0.bytes.count <= rest }
            if isFitting { found += next.entries }
            byteCount += next.entries.reduce(0) { $0 + $1.bytes.count }
            let expected = (maximumByteCount - byteCount) / max(1, byteCount / max(1, found.count))
            guard next.entries.count == count, expected > 0, found.last?.position != next.head else {
                return LogBatch(entries: found, head: next.head, floor: next.floor)
            }
            count = min(count * Self.countGrowth, expected, Self.maximumCount)
        }
    }

    private static let firstCount = 16
    private static let countGrowth = 4
    private static let maximumCount = 512

    /// The parts of a transaction that read the head, the floor and the entries after an index.
    private func reading(after index: UInt64, count: Int) -> [EtcdRequestOp] {
        [
            .get(keys.head), .get(keys.floor),
            .range(keys.entry(index + 1), keys.entry(.max), limit: count),
        ]
    }

    /// Reads the answer to ``reading(after:count:)``, and checks that the log can be read on from the position. Returns as many
    /// entries as fit, and at least the first.
    private func batch(
        _ response: EtcdTxnResponse, after position: LogPosition, maximumByteCount: Int
    ) async throws(SharedLogError) -> LogBatch {
        guard response.responses.count == 3 else { throw Self.unexpected }
        let head = try self.position(response.responses[0])
        let floor = try self.position(response.responses[1])
        guard position.generation == head.generation else {
            throw SharedLogError(.otherGeneration, "the log is in generation \(head.generation)")
        }
        guard position.index >= floor.index else {
            throw SharedLogError(.trimmed, "the log begins after entry \(floor.index)", floor: floor)
        }
        let pairs = response.responses[2].responseRange.kvs
        guard head.index <= position.index || !pairs.isEmpty else {
            throw SharedLogError(.damaged, "the log lacks entry \(position.index + 1)")
        }
        var entries: [LogEntry] = []
        var byteCount = 0
        for pair in pairs {
            let stored = [UInt8](pair.value)
            let note = try EtcdEntryNote(stored: stored)
            byteCount += note?.byteCount ?? stored.count
            guard byteCount <= maximumByteCount || entries.isEmpty else { break }
            if let note {
                entries.append(try await entry(note, at: keys.index(ofEntry: pair.key)))
            } else {
                entries.append(try LogEntry(stored))
            }
        }
        // A full cluster has removed entries without a note of it, see ``trim(through:)``.
        if let begin = entries.first?.previous, begin.index > position.index {
            throw SharedLogError(.trimmed, "the log begins after entry \(begin.index)", floor: begin)
        }
        guard position == (head.index <= position.index ? head : entries.first?.previous) else {
            throw .diverged(at: position, head: head)
        }
        return LogBatch(entries: entries, head: head, floor: floor)
    }

    private func position(_ response: EtcdResponseOp?) throws(SharedLogError) -> LogPosition {
        guard let response else { throw Self.unexpected }
        guard let pair = response.responseRange.kvs.first else {
            throw SharedLogError(.refused, "the cluster no longer has the log")
        }
        return try LogPosition(stored: pair.value)
    }

    private static let unexpected = SharedLogError(.damaged, "etcd gave an answer of an unexpected form")

    /// Returns a sequence with an element after each append of another log object, from a watch on the head. It watches again
    /// when the connection is lost.
    public func wakes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watching = Task.detached { [weak self, calls, keys] in
            while !Task.isCancelled {
                await calls.watch(keys.head) { head in
                    // The writer already has its own entry.
                    if let head, head == self?.newestSent.withLock({ $0?.stored }) { return }
                    continuation.yield()
                }
                try? await Task.sleep(for: Self.pauseAfterWatch)
            }
        }
        continuation.onTermination = { _ in watching.cancel() }
        return stream
    }

    private static let pauseAfterWatch = Duration.milliseconds(200)

    /// Removes the entries up to a position, and lets the cluster forget the keys' history up to there, also that of other
    /// programs.
    ///
    /// Also works in a cluster that has reached its quota. It needs `etcdctl defrag` and `etcdctl alarm disarm` afterwards.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`; `diverged` if the log has another entry
    ///   there.
    public func trim(through position: LogPosition) async throws(SharedLogError) {
        let before = try await entries(after: position, maximumByteCount: 1)
        if before.floor.index >= position.index { return }
        var request = EtcdTxnRequest()
        request.compare = [.has(keys.floor, before.floor.stored)]
        let removals: [EtcdRequestOp] = [
            .remove(keys.entry(0), keys.entry(position.index + 1)),
            .remove(keys.parts(0), keys.parts(position.index + 1)),
        ]
        do throws(SharedLogError) {
            let response: EtcdTxnResponse
            do throws(SharedLogError) {
                request.success = [.put(keys.floor, position.stored)] + removals
                response = try await calls.transact(request, .once)
            } catch {
                guard error.code == .full else { throw error }
                // A full cluster accepts nothing but removals. The first entry then says where the log begins.
                request.success = removals
                response = try await calls.transact(request, .once)
            }
            var compaction = EtcdCompactionRequest()
            compaction.revision = response.header.revision
            if response.succeeded { try await calls.compact(compaction) }
        } catch {
            // A repetition does no harm.
            throw error.code == .unknown ? SharedLogError(.unavailable, error.message) : error
        }
    }

    /// Returns how many bytes the cluster has in use, and its quota.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`.
    public func usage() async throws(SharedLogError) -> LogUsage {
        let status = try await calls.status()
        let quota = status.dbSizeQuota > 0 ? Int(status.dbSizeQuota) : quotaByteCount
        return LogUsage(byteCount: Int(status.dbSizeInUse), limit: quota)
    }

    /// Begins a new generation of the log, if a position is the newest one. All entries are removed.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unknown` if there was no answer; `unavailable`, `full`, `refused`.
    public func beginGeneration(
        at start: LogPosition, after head: LogPosition
    ) async throws(SharedLogError) -> Bool {
        var request = EtcdTxnRequest()
        request.compare = [.has(keys.head, head.stored)]
        request.success = [
            .put(keys.head, start.stored), .put(keys.floor, start.stored), .remove(keys.entry(0), keys.entry(.max)),
            .remove(keys.parts(0), keys.parts(.max)),
        ]
        return try await calls.transact(request, .once).succeeded
    }

    // MARK: Registers

    /// Returns the registers whose keys begin with a prefix, in the order of the bytes of their keys.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unavailable`, `refused`.
    public func registers(prefix: String) async throws(SharedLogError) -> [LogRegister] {
        let start = keys.register(prefix)
        var request = EtcdTxnRequest()
        request.success = [.range(start, EtcdKeys.end(of: start), limit: 0)]
        guard let found = try await calls.transact(request, .repeatable).responses.first else { throw Self.unexpected }
        return found.responseRange.kvs.map(register)
    }

    private func register(_ pair: EtcdKeyValue) -> LogRegister {
        LogRegister(
            key: keys.registerKey(pair.key), value: [UInt8](pair.value), version: UInt64(bitPattern: pair.modRevision))
    }

    /// Sets or removes a register, if it has a version. The cluster's leader measures the lifetime, in whole seconds. A lifetime
    /// shorter than about two elections of the cluster lasts that long.
    ///
    /// - Throws: ``ModelStoreReplication/SharedLogError``: `unknown` if there was no answer; `unavailable`, `full`, `refused`.
    public func setRegister(
        _ key: String, to value: [UInt8]?, from version: UInt64, lifetime: Duration?
    ) async throws(SharedLogError) -> RegisterOutcome {
        let place = keys.register(key)
        var request = EtcdTxnRequest()
        request.compare = [version == 0 ? .isAbsent(place) : .hasRevision(place, version)]
        var lease: Int64 = 0
        if let lifetime {
            lease = try await calls.grantLease(seconds: max(1, Int64((lifetime / .seconds(1)).rounded(.up))))
        }
        request.success = [.get(place), value.map { .put(place, $0, lease: lease) } ?? .remove(place)]
        request.failure = [.get(place)]
        let response = try await calls.transact(request, .once)
        let found = response.responses.first?.responseRange.kvs.first
        guard response.succeeded else {
            await calls.revokeLease(lease)
            return .conflict(found.map(register))
        }
        // Nodes set their registers often, so the leases of the old values would add up until they end.
        if let found { await calls.revokeLease(found.lease) }
        return .set(version: value == nil ? 0 : UInt64(bitPattern: response.header.revision))
    }
}
#endif
