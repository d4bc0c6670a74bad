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

    private func sealed(_ count: Int, previous: UInt64 = 7) -> (entry: RedoEntry, bytes: [UInt8]) {
        var operations = operations(count)
        let entry = operations.seal(
            RedoEntry(checkpoint: 3, transaction: 11, durableByteCount: 96, previous: previous))
        return (entry, operations.bytes)
    }

    @Test func `an entry is read as it was written, at any place of the log`() {
        for count in [0, 1, 5] {
            let (entry, bytes) = sealed(count)
            #expect(bytes.count == entry.byteCount && bytes.count % 8 == 0)
            #expect(RedoEntry(in: bytes, at: 0) == entry)
            #expect(RedoEntry(in: [UInt8](repeating: 1, count: 16) + bytes, at: 16) == entry)
        }
    }

    @Test func `an entry with any changed byte is none, except in the zeros behind it`() {
        let (entry, bytes) = sealed(3)
        let end = RedoEntry.headerByteCount + entry.operationByteCount
        for place in 0..<end {
            var changed = bytes
            changed[place] ^= 1
            #expect(RedoEntry(in: changed, at: 0) == nil, "byte \(place)")
        }
        for length in 0..<bytes.count where length < end {
            #expect(RedoEntry(in: Array(bytes.prefix(length)), at: 0) == nil, "\(length) bytes")
        }
    }

    @Test func `an entry is the next one only of the log, the checkpoint and the commit that it continues`() {
        let metas = [1, 2].map { [UInt8](repeating: $0, count: DataFileMeta.byteCount) }
        let checkpoint = CheckpointRecord(
            number: 3, transaction: 10, pageSize: 4_096, isClosed: false, metas: metas)
        let tail = RedoTail(after: checkpoint)
        func isNext(checkpoint number: UInt64 = 3, transaction: UInt64 = 11, previous: UInt64? = nil) -> Bool {
            let entry = RedoEntry(
                checkpoint: number, transaction: transaction, durableByteCount: 0,
                previous: previous ?? checkpoint.salt)
            return tail.isFollowed(by: entry, of: checkpoint)
        }
        #expect(isNext())
        #expect(!isNext(checkpoint: 2) && !isNext(checkpoint: 4))
        #expect(!isNext(transaction: 10) && !isNext(transaction: 12))
        // A crash can lose a checkpoint, and the next one gets its number. Then entries of the lost one may still be in the log.
        #expect(!isNext(previous: checkpoint.salt &+ 1))
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

    @Test func `a checkpoint is read as it was written, and not with a changed byte`() {
        let metas = [1, 2].map { [UInt8](repeating: $0, count: DataFileMeta.byteCount) }
        let record = CheckpointRecord(number: 4, transaction: 9, pageSize: 4_096, isClosed: false, metas: metas)
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
