import CLMDBRaw
import Foundation

/// LMDB through its C interface, with the same puts as ModelStore: record, unique index, balance index, feed, head. Records have
/// the same size as ModelStore's. Nothing is hashed, checked or kept for later.
@safe
final class RawSide: Side {
    private let environment: OpaquePointer
    private let reading: OpaquePointer
    private let records: MDB_dbi
    private let emails: MDB_dbi
    private let balances: MDB_dbi
    private let feed: MDB_dbi
    private let metadata: MDB_dbi
    /// Whether an insert adds an entry to the feed.
    private let keepsFeed: Bool
    private let directory: String
    /// Nil, except in ``withOneSync(_:)``.
    private var log: RawLog?
    private var visits: RawVisits?
    private var sequence: UInt64 = 0
    /// The greatest id so far. Greater ids are appended, as in ModelStore.
    private var greatestID = Int.min
    private let key = RawBuffer(capacity: 1 << 10)
    private let value = RawBuffer(capacity: 1 << 10)
    private let stream = RawBuffer(capacity: 128 << 10)

    /// The bytes of the feed in one value, as in ModelStore.
    private static let fragmentByteCount = 60 << 10

    convenience init(directory: String) throws { try self.init(directory: directory, keepsFeed: true) }

    init(directory: String, keepsFeed: Bool) throws {
        self.keepsFeed = keepsFeed
        self.directory = directory
        var opened: OpaquePointer?
        try unsafe check(mdb_env_create(&opened), "mdb_env_create")
        guard let environment = unsafe opened else { throw BenchmarkError("no environment") }
        unsafe self.environment = unsafe environment
        try unsafe check(mdb_env_set_mapsize(environment, 1 << 40), "mdb_env_set_mapsize")
        try unsafe check(mdb_env_set_maxdbs(environment, 16), "mdb_env_set_maxdbs")
        try unsafe check(mdb_env_set_maxreaders(environment, 1_024), "mdb_env_set_maxreaders")
        try unsafe check(mdb_env_open(environment, directory, UInt32(MDB_NOTLS), 0o640), "mdb_env_open")
        var writing: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, 0, &writing), "mdb_txn_begin")
        func database(_ name: String) throws -> MDB_dbi {
            var handle: MDB_dbi = 0
            try unsafe check(mdb_dbi_open(writing, name, UInt32(MDB_CREATE), &handle), "mdb_dbi_open")
            return handle
        }
        records = try database("records")
        emails = try database("emails")
        balances = try database("balances")
        feed = try database("feed")
        metadata = try database("metadata")
        try unsafe check(mdb_txn_commit(writing), "mdb_txn_commit")
        var transaction: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction), "mdb_txn_begin")
        guard let reading = unsafe transaction else { throw BenchmarkError("no transaction") }
        unsafe self.reading = unsafe reading
        unsafe mdb_txn_reset(reading)
        try unsafe inTransaction { transaction in
            key.removeAll()
            key.append("head")
            if let head = unsafe try find(metadata, transaction) {
                sequence = unsafe head.loadUnaligned(as: UInt64.self)
                // Unknown in an existing database, so nothing is appended.
                greatestID = .max
            }
        }
    }

    func close() {
        visits?.close()
        unsafe mdb_txn_abort(reading)
        unsafe mdb_env_close(environment)
    }

    // MARK: Writing

    private func commit(_ body: (OpaquePointer) throws -> Void) throws {
        var opened: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, 0, &opened), "mdb_txn_begin")
        guard let transaction = unsafe opened else { throw BenchmarkError("no transaction") }
        do {
            unsafe try body(transaction)
            unsafe try putHead(transaction)
        } catch {
            unsafe mdb_txn_abort(transaction)
            throw error
        }
        try log?.commit()
        try unsafe check(mdb_txn_commit(transaction), "mdb_txn_commit")
    }

    /// Runs `body` without LMDB's own syncs. Each commit appends as many bytes as it puts to a file instead, and syncs that file:
    /// the bound of a store on LMDB with one sync for each commit. A crash would damage the data file, because nothing keeps its
    /// pages.
    func withOneSync<Result>(_ body: () throws -> Result) throws -> Result {
        log = try RawLog(path: directory + "/log")
        unsafe mdb_env_set_flags(environment, UInt32(MDB_NOSYNC), 1)
        let result = Swift.Result { try body() }
        unsafe mdb_env_set_flags(environment, UInt32(MDB_NOSYNC), 0)
        log = nil
        try unsafe check(mdb_env_sync(environment, 1), "mdb_env_sync")
        return try result.get()
    }

    func insertTogether(_ accounts: [Account]) throws {
        try unsafe commit { transaction in
            // The feed is written after the records, because the net changes are known only at the end. The bytes of all changes
            // are kept until then.
            let all = RawBuffer(capacity: keepsFeed ? accounts.count * 128 + (128 << 10) : 60)
            all.append(zeros: 60)
            for account in accounts { unsafe try insert(account, transaction, feed: all) }
            if keepsFeed { unsafe try putFeed(all, transaction) }
        }
    }

    func insertOneByOne(_ accounts: [Account]) throws {
        for account in accounts { try insertBatch(CollectionOfOne(account)) }
    }

    /// Makes one commit with an entry in the feed for each record, as if each record came from a write of its own.
    func insertBatch(_ accounts: some Collection<Account>) throws {
        try unsafe commit { transaction in
            for account in accounts {
                stream.removeAll()
                stream.append(zeros: 60)
                unsafe try insert(account, transaction, feed: stream)
                if keepsFeed { unsafe try putFeed(stream, transaction) }
            }
        }
    }

    /// Puts a record and its index entries, and appends its change to the feed's stream.
    private func insert(_ account: Account, _ transaction: OpaquePointer, feed stream: RawBuffer) throws {
        key.removeAll()
        key.append(integer: UInt64(bitPattern: Int64(account.id ^ .min)).bigEndian)
        encode(account)
        unsafe try put(records, transaction, MDB_NOOVERWRITE | (account.id > greatestID ? MDB_APPEND : 0))
        greatestID = max(greatestID, account.id)
        if keepsFeed {
            stream.append(integer: UInt32(0x0108_0101))
            stream.append(integer: account.id)
            stream.append(value)
        }
        value.removeAll()
        value.append(integer: UInt8(1))
        value.append(integer: UInt64(bitPattern: Int64(account.id ^ .min)).bigEndian)
        key.removeAll()
        key.append(account.email)
        key.append(integer: UInt16(0x0100))
        unsafe try put(emails, transaction, MDB_NOOVERWRITE)
        key.removeAll()
        key.append(integer: UInt64(bitPattern: Int64(account.balance ^ .min)).bigEndian)
        key.append(integer: UInt64(bitPattern: Int64(account.id ^ .min)).bigEndian)
        value.removeAll()
        value.append(integer: UInt16(0x0800))
        unsafe try put(balances, transaction, 0)
    }

    /// Encodes a record: 16 bytes of header, id, balance, the ends of the three texts, the texts. It is as long as ModelStore's.
    private func encode(_ account: Account) {
        value.removeAll()
        value.append(zeros: 16)
        value.append(integer: account.id)
        value.append(integer: account.balance)
        value.append(zeros: 8)
        value.append(account.email)
        value.store(UInt16(value.count), at: 32)
        value.append(account.name)
        value.store(UInt16(value.count), at: 34)
        value.append(account.region)
        value.store(UInt16(value.count), at: 36)
    }

    private func putFeed(_ stream: RawBuffer, _ transaction: OpaquePointer) throws {
        sequence += 1
        var fragment: UInt32 = 0
        var start = 0
        repeat {
            key.removeAll()
            key.append(integer: sequence.bigEndian)
            key.append(integer: fragment.bigEndian)
            let count = min(stream.count - start, Self.fragmentByteCount)
            var keyBytes = unsafe key.bytes
            var data = unsafe MDB_val(mv_size: count + 9, mv_data: nil)
            let code = unsafe mdb_put(transaction, feed, &keyBytes, &data, UInt32(MDB_APPEND | MDB_RESERVE))
            try check(code, "mdb_put")
            log?.pending += key.count + count
            guard let place = unsafe data.mv_data else { throw BenchmarkError("no place for a fragment") }
            unsafe place.initializeMemory(as: UInt8.self, repeating: 0, count: 9)
            unsafe (place + 9).copyMemory(from: stream.base + start, byteCount: count)
            start += count
            fragment += 1
        } while start < stream.count
    }

    private func putHead(_ transaction: OpaquePointer) throws {
        key.removeAll()
        key.append("head")
        value.removeAll()
        value.append(integer: sequence)
        value.append(zeros: 32)
        unsafe try put(metadata, transaction, 0)
    }

    private func put(_ database: MDB_dbi, _ transaction: OpaquePointer, _ flags: Int32) throws {
        var keyBytes = unsafe key.bytes
        var valueBytes = unsafe value.bytes
        try unsafe check(mdb_put(transaction, database, &keyBytes, &valueBytes, UInt32(flags)), "mdb_put")
        log?.pending += key.count + value.count
    }

    // MARK: Reading

    @inline(__always)
    private func inTransaction(_ body: (OpaquePointer) throws -> Void) throws {
        try unsafe check(mdb_txn_renew(reading), "mdb_txn_renew")
        defer { unsafe mdb_txn_reset(reading) }
        unsafe try body(reading)
    }

    @inline(__always)
    private func find(_ database: MDB_dbi, _ transaction: OpaquePointer) throws -> UnsafeRawPointer? {
        var keyBytes = unsafe key.bytes
        var found = unsafe MDB_val()
        let code = unsafe mdb_get(transaction, database, &keyBytes, &found)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "mdb_get")
        return unsafe UnsafeRawPointer(found.mv_data)
    }

    @inline(__always)
    private func find(id: Int, _ transaction: OpaquePointer) throws -> UnsafeRawPointer? {
        key.removeAll()
        key.append(integer: UInt64(bitPattern: Int64(id ^ .min)).bigEndian)
        return unsafe try find(records, transaction)
    }

    private func find(email: String, _ transaction: OpaquePointer) throws -> UnsafeRawPointer? {
        key.removeAll()
        key.append(email)
        key.append(integer: UInt16(0x0100))
        guard let entry = unsafe try find(emails, transaction) else { return nil }
        key.removeAll()
        key.append(integer: unsafe entry.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        return unsafe try find(records, transaction)
    }

    @inline(__always)
    private func decode(_ record: UnsafeRawPointer) -> Account {
        func text(_ start: Int, _ end: Int) -> String {
            let bytes = unsafe UnsafeRawBufferPointer(start: record + start, count: end - start)
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
        let emailEnd = Int(unsafe record.loadUnaligned(fromByteOffset: 32, as: UInt16.self))
        let nameEnd = Int(unsafe record.loadUnaligned(fromByteOffset: 34, as: UInt16.self))
        let regionEnd = Int(unsafe record.loadUnaligned(fromByteOffset: 36, as: UInt16.self))
        return Account(
            id: unsafe record.loadUnaligned(fromByteOffset: 16, as: Int.self), email: text(40, emailEnd),
            name: text(emailEnd, nameEnd), balance: unsafe record.loadUnaligned(fromByteOffset: 24, as: Int.self),
            region: text(nameEnd, regionEnd))
    }

    func readOneByOne(_ ids: [Int]) throws -> Checksum {
        var checksum = Checksum()
        for id in ids {
            try unsafe inTransaction { transaction in
                if let record = unsafe try find(id: id, transaction) { checksum.add(unsafe decode(record)) }
            }
        }
        return checksum
    }

    func readTogether(_ ids: [Int]) throws -> Checksum {
        var checksum = Checksum()
        try unsafe inTransaction { transaction in
            for id in ids {
                if let record = unsafe try find(id: id, transaction) { checksum.add(unsafe decode(record)) }
            }
        }
        return checksum
    }

    func readBalances(_ ids: [Int]) throws -> Checksum {
        var checksum = Checksum()
        try unsafe inTransaction { transaction in
            for id in ids {
                guard let record = unsafe try find(id: id, transaction) else { continue }
                checksum.add(unsafe record.loadUnaligned(fromByteOffset: 24, as: Int.self))
            }
        }
        return checksum
    }

    func readByEmailOneByOne(_ emails: [String]) throws -> Checksum {
        var checksum = Checksum()
        for email in emails {
            try unsafe inTransaction { transaction in
                if let record = unsafe try find(email: email, transaction) { checksum.add(unsafe decode(record)) }
            }
        }
        return checksum
    }

    func readByEmailTogether(_ emails: [String]) throws -> Checksum {
        var checksum = Checksum()
        try unsafe inTransaction { transaction in
            for email in emails {
                if let record = unsafe try find(email: email, transaction) { checksum.add(unsafe decode(record)) }
            }
        }
        return checksum
    }

    func fetch(ids: [Int]) throws -> Checksum { try readTogether(ids) }

    func fetchBalances(from balance: Int, limit: Int) throws -> Checksum {
        var checksum = Checksum()
        try unsafe walkBalances(from: balance) { transaction, entry in
            key.removeAll()
            key.append(integer: unsafe entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            if let record = unsafe try find(records, transaction) { checksum.add(unsafe decode(record)) }
            return checksum.count < limit
        }
        return checksum
    }

    func fetchHoldings(from balance: Int, limit: Int) throws -> Checksum {
        var checksum = Checksum()
        try unsafe walkBalances(from: balance) { _, entry in
            let balance = UInt64(bigEndian: unsafe entry.loadUnaligned(as: UInt64.self))
            let id = UInt64(bigEndian: unsafe entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            checksum.add((Int(bitPattern: UInt(id)) ^ .min) &* 31 &+ (Int(bitPattern: UInt(balance)) ^ .min))
            return checksum.count < limit
        }
        return checksum
    }

    func countBalances(in range: Range<Int>) throws -> Int {
        var count = 0
        let end = UInt64(bitPattern: Int64(range.upperBound ^ .min))
        try unsafe walkBalances(from: range.lowerBound) { _, entry in
            guard unsafe UInt64(bigEndian: entry.loadUnaligned(as: UInt64.self)) < end else { return false }
            count += 1
            return true
        }
        return count
    }

    /// Walks the keys of the index on balances until `body` returns false.
    private func walkBalances(from balance: Int, _ body: (OpaquePointer, UnsafeRawPointer) throws -> Bool) throws {
        try unsafe inTransaction { transaction in
            var cursor: OpaquePointer?
            try unsafe check(mdb_cursor_open(transaction, balances, &cursor), "mdb_cursor_open")
            defer { unsafe mdb_cursor_close(cursor) }
            key.removeAll()
            key.append(integer: UInt64(bitPattern: Int64(balance ^ .min)).bigEndian)
            var keyBytes = unsafe key.bytes
            var found = unsafe MDB_val()
            var code = unsafe mdb_cursor_get(cursor, &keyBytes, &found, MDB_SET_RANGE)
            while code == 0, let entry = unsafe keyBytes.mv_data {
                guard try unsafe body(transaction, UnsafeRawPointer(entry)) else { return }
                code = unsafe mdb_cursor_get(cursor, &keyBytes, &found, MDB_NEXT)
            }
            if code != MDB_NOTFOUND { try check(code, "mdb_cursor_get") }
        }
    }

    // Walks all records, looks at the first eight bytes of each name, and decodes the records that may be among the last.
    func fetchLastNames(limit: Int) throws -> Checksum {
        var last: [(word: UInt64, account: Account)] = []
        var least: UInt64 = 0
        try unsafe forEachRecord { record in
            let start = Int(unsafe record.loadUnaligned(fromByteOffset: 32, as: UInt16.self))
            let end = Int(unsafe record.loadUnaligned(fromByteOffset: 34, as: UInt16.self))
            guard end - start >= 8 else { throw BenchmarkError("a name is shorter than eight bytes") }
            let word = UInt64(bigEndian: unsafe record.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            if word < least { return }
            let account = unsafe decode(record)
            let place = last.firstIndex { ($0.account.name, $0.account.id) < (account.name, account.id) }
            last.insert((word, account), at: place ?? last.count)
            if last.count > limit { last.removeLast() }
            if last.count == limit { least = last[limit - 1].word }
        }
        var checksum = Checksum()
        for entry in last { checksum.add(entry.account) }
        return checksum
    }

    // Raw LMDB has no search of its own, so this is not measured.
    func countEmails(containing text: String) throws -> Int { throw BenchmarkError("raw LMDB does not search") }

    func insertVisits(_ visits: [Visit]) throws {
        let opened = try RawVisits(directory: directory + "/visits")
        try opened.insert(visits)
        self.visits = opened
    }

    func fetchVisits(place: Int, day: Int) throws -> Checksum {
        guard let visits else { throw BenchmarkError("there are no visits") }
        return try visits.fetch(place: place, day: day)
    }

    func scan() throws -> Checksum {
        var checksum = Checksum()
        try unsafe forEachRecord { checksum.add(unsafe decode($0)) }
        return checksum
    }

    /// Walks all records in one transaction.
    @inline(__always)
    private func forEachRecord(_ body: (UnsafeRawPointer) throws -> Void) throws {
        try unsafe inTransaction { transaction in
            var cursor: OpaquePointer?
            try unsafe check(mdb_cursor_open(transaction, records, &cursor), "mdb_cursor_open")
            defer { unsafe mdb_cursor_close(cursor) }
            var keyBytes = unsafe MDB_val()
            var found = unsafe MDB_val()
            var code = unsafe mdb_cursor_get(cursor, &keyBytes, &found, MDB_FIRST)
            while code == 0, let record = unsafe found.mv_data {
                unsafe try body(UnsafeRawPointer(record))
                code = unsafe mdb_cursor_get(cursor, &keyBytes, &found, MDB_NEXT)
            }
            if code != MDB_NOTFOUND { try check(code, "mdb_cursor_get") }
        }
    }
}
