import Testing

@testable import LMDB

@Suite struct RedoEntryTests {
    private func operations(_ count: Int) -> RedoOperations {
        var operations = RedoOperations(maximumByteCount: 1 << 16)
        for number in 0..<count {
            let bytes = Array("key \(number)".utf8)
            unsafe operations.append(
                .put, LMDBDatabase(handle: 2), key: bytes.span.bytes, value: bytes.span.bytes
            ) { Array("name".utf8) }
        }
        return operations
    }

    private let secret = SipHash(low: 1, high: 2)
    private let tail = RedoTail(offset: 96, address: 96, durableAddress: 96, chain: 7, transaction: 10)

    private func sealed(_ count: Int) -> (entry: RedoEntry, bytes: [UInt8]) {
        var operations = operations(count)
        let entry = operations.seal(RedoEntry(transaction: 11, after: tail, relaxedSince: 0), secret)
        return (entry, operations.bytes)
    }

    private func read(_ bytes: [UInt8], at offset: Int = 0, _ secret: SipHash? = nil) -> RedoEntry? {
        let secret = secret ?? self.secret
        return RedoEntry(header: bytes, at: offset, secret, tag: secret.tag)
            .flatMap { $0.hasOperations(in: bytes, at: offset, secret) ? $0 : nil }
    }

    @Test func `an entry is read as it was written, at any place of the log`() {
        for count in [0, 1, 5] {
            let (entry, bytes) = sealed(count)
            #expect(bytes.count == entry.byteCount && bytes.count % 8 == 0)
            #expect(read(bytes) == entry)
            #expect(read([UInt8](repeating: 1, count: 16) + bytes, at: 16) == entry)
        }
    }

    @Test func `an entry with any changed byte is none, except in the zeros behind it`() {
        let (entry, bytes) = sealed(3)
        let end = RedoEntry.headerByteCount + entry.operationByteCount
        for place in 0..<end {
            var changed = bytes
            changed[place] ^= 1
            #expect(read(changed) == nil, "byte \(place)")
        }
        for length in 0..<bytes.count where length < end {
            #expect(read(Array(bytes.prefix(length))) == nil, "\(length) bytes")
        }
    }

    @Test func `an entry of another log is none`() {
        #expect(read(sealed(3).bytes, SipHash(low: 1, high: 3)) == nil)
        #expect(read(sealed(3).bytes, SipHash(low: 3, high: 2)) == nil)
    }

    @Test func `an entry is the next one only of the entry and the commit that it continues`() {
        func isNext(transaction: UInt64 = 11, chain: UInt64 = 7) -> Bool {
            var other = tail
            other.chain = chain
            return tail.isFollowed(by: RedoEntry(transaction: transaction, after: other, relaxedSince: 0))
        }
        #expect(isNext())
        #expect(!isNext(transaction: 10) && !isNext(transaction: 12))
        #expect(!isNext(chain: 8))
    }

    @Test func `operations are read in order, with the name of a database before the first of them`() {
        let (entry, bytes) = sealed(2)
        var kinds: [RedoOperations.Kind] = []
        var offset = RedoEntry.headerByteCount
        while let operation = RedoOperation(
            in: bytes, at: offset, end: RedoEntry.headerByteCount + entry.operationByteCount)
        {
            kinds.append(operation.kind)
            offset = operation.value.upperBound
        }
        #expect(kinds == [.name, .put, .put])
        #expect(offset == RedoEntry.headerByteCount + entry.operationByteCount)
    }

    @Test func `an aborted child leaves no operations, and no number of a database`() {
        var operations = operations(1)
        let before = operations.bytes
        let mark = operations.mark
        operations.append(.empty, LMDBDatabase(handle: 3)) { Array("other".utf8) }
        operations.undo(to: mark)
        #expect(operations.bytes == before)
        operations.append(.empty, LMDBDatabase(handle: 3)) { Array("third".utf8) }
        #expect(operations.bytes.count == before.count + 2 * RedoOperations.headerByteCount + 5)
    }

    @Test func `too many operations are dropped, and stay dropped after an aborted child`() {
        var operations = RedoOperations(maximumByteCount: 120)
        let mark = operations.mark
        for _ in 0..<20 { operations.append(.empty, LMDBDatabase(handle: 2)) { Array("name".utf8) } }
        #expect(operations.isTooLarge && !operations.isEmpty && operations.bytes.isEmpty)
        operations.undo(to: mark)
        #expect(operations.isTooLarge)
    }

    @Test func `a checkpoint is read as it was written, and not with a changed byte`() throws {
        let directory = try TemporaryDirectory()
        try LMDBEnvironment.open(at: directory.path).close()
        try RedoFiles.create(in: directory.path)
        let side = try #require(try CheckpointFile(in: directory.path, isReadOnly: true))
        defer { side.close() }
        let record = try #require(try side.newest())
        let bytes = record.bytes
        #expect(bytes.count == CheckpointRecord.byteCount)
        #expect(CheckpointRecord(bytes) == record)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(CheckpointRecord(changed) == nil, "byte \(place)")
        }
    }
}
