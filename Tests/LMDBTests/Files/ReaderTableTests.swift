import Foundation
import Glibc
import LMDB
import Testing
import TestSupport

/// The table of readers in a lock file that is in use.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ReaderTableTests {
    /// The offset of the count of readers in LMDB 0.9's lock file.
    private static let countOffset: off_t = 56

    @Test(arguments: [5_000, UInt32(Int32.max), .max])
    func `a count of more readers than there are slots is an error`(count: UInt32) throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")])
        // The descriptor stays open, because closing it would release the locks of this process on the file.
        let descriptor = unsafe open(store.path + "/lock.mdb", O_RDWR)
        try #require(descriptor >= 0)
        func setCount(_ count: UInt32) {
            var count = count
            #expect(unsafe pwrite(descriptor, &count, 4, Self.countOffset) == 4)
        }
        func expectRefusal(_ body: () throws -> Void) {
            let error = #expect(throws: LMDBError.self) { try body() }
            #expect(error?.code == .notAStore)
            #expect(error?.description.contains("another program overwrote it") == true)
        }
        setCount(count)
        expectRefusal { try store.environment.store([("a", "2")]) }
        expectRefusal { _ = try store.environment.readers() }
        expectRefusal { try store.environment.clearStaleReaders() }
        setCount(1)
        try store.environment.store([("a", "3")])
        #expect(try store.environment.clearStaleReaders() == 0)
    }
}
