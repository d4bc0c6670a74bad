import Foundation
import Testing

@testable import LMDB

@Suite("The greatest size of an environment") struct QuotaTests {
    private static let limit = 4 << 20

    private static func options(_ limit: Int = limit) -> LMDBEnvironment.Options {
        var options = LMDBEnvironment.Options(maximumReaders: 64, syncs: false)
        options.maximumByteCount = limit
        return options
    }

    /// Puts values of a size under new keys, each in a transaction of its own, until that fails.
    private static func fill(
        _ environment: LMDBEnvironment, valueCount: Int
    ) throws -> (count: Int, error: LMDBError) {
        let value = String(repeating: "v", count: valueCount)
        var count = 0
        while true {
            do {
                try environment.store([("\(count)", value)])
                count += 1
            } catch let error as LMDBError {
                return (count, error)
            }
        }
    }

    @Test(arguments: [10, 1_000, 5_000, 300_000])
    func `the data file never exceeds its share, and the reserve stays for those that may use it`(_ size: Int) throws {
        let store = try TemporaryStore(Self.options())
        let share = try #require(Quota(Self.options(), at: store.path, hasLog: false)).dataByteCount
        #expect(share < Self.limit && share > Self.limit - 200_000)
        let (count, error) = try Self.fill(store.environment, valueCount: size)
        #expect(error.code == .storeFull)
        #expect(count > 0)
        #expect(try store.environment.info().fileBytes <= share)
        try store.environment.grow(to: 1 << 30, waitingAtMost: 1)
        #expect(try store.environment.info().mapSize <= share)
        // 100 pages, of the 128 of the reserve.
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database("reserve")
        for number in 0..<80 { try transaction.put(database, "\(number)", String(repeating: "r", count: 3_000)) }
        transaction.useReserve()
        try transaction.commit()
        #expect(try store.environment.info().fileBytes <= share)
        #expect(try store.environment.value("79", in: "reserve") != nil)
    }

    @Test func `a transaction that must not fail at its commit checks the reserve before`() throws {
        let store = try TemporaryStore(Self.options())
        _ = try Self.fill(store.environment, valueCount: 1_000)
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "new", String(repeating: "v", count: 100_000))
        #expect(code { try transaction.requireReserve() } == .storeFull)
        transaction.abort()
    }

    @Test func `room that is known is used up, and another process's commit makes it unknown`() {
        var room = KnownRoom(after: 7, pageCount: 100)
        #expect({ room.take(60, in: 8) }())
        #expect(room == KnownRoom(after: 8, pageCount: 40))
        var other = room
        #expect(!{ other.take(10, in: 10) }())
        #expect(!{ other.take(10, in: 9) }())
        #expect(!{ room.take(41, in: 9) }())
        #expect(!{ room.take(1, in: 9) }())
        var unknown = KnownRoom()
        #expect(!{ unknown.take(0, in: 0) }())
    }

    @Test func `the shares of the files and the reserve follow the limit`() {
        let small = Quota(byteCount: 4 << 20, lockFileByteCount: 66_000, logByteCount: nil)
        #expect(small.sideByteCount == 17 * 4_096 + 4_096)
        #expect(small.reserveByteCount == 512 << 10)
        #expect(Quota(byteCount: 64 << 20, lockFileByteCount: 0, logByteCount: nil).reserveByteCount == 4 << 20)
        #expect(Quota(byteCount: 1 << 40, lockFileByteCount: 0, logByteCount: nil).reserveByteCount == 16 << 20)
        let logged = Quota(byteCount: 64 << 20, lockFileByteCount: 66_000, logByteCount: 8 << 20)
        #expect(logged.sideByteCount == small.sideByteCount + 8 << 20 + CheckpointFile.byteCount)
        for byteCount in [4 << 20, 6_000_001, 1 << 30, 1 << 46] {
            let limits = RedoLimits().fitting(storeByteCount: byteCount)
            #expect(limits.maximumByteCount <= byteCount / 8 + 64)
            #expect(limits.maximumByteCount <= RedoLimits().maximumByteCount)
            #expect(limits.logByteCount > 0 && limits.entryByteCount > 0)
        }
    }
}
