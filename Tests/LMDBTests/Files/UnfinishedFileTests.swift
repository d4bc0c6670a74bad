import Foundation
import LMDB
import TestSupport
import Testing

/// Data files that a power failure or a kill interrupted during their creation.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes)))
struct UnfinishedFileTests {
    private static let page = 4096

    /// The part of a new file's two meta pages that reached the disk.
    enum Leftover: CaseIterable {
        case firstPageOnly, secondPageOnly, nothing, nothingInTwoPages, firstSectorOnly, cutInSecondPage

        func bytes(of whole: Data) -> Data {
            let page = UnfinishedFileTests.page
            switch self {
            case .firstPageOnly: return whole.prefix(page)
            case .secondPageOnly: return Data(count: page) + whole.suffix(page)
            case .nothing: return Data(count: 512)
            case .nothingInTwoPages: return Data(count: 2 * page)
            case .firstSectorOnly: return whole.prefix(512) + Data(count: 2 * page - 512)
            case .cutInSecondPage: return whole.prefix(page + 512)
            }
        }
    }

    /// Returns a file as LMDB creates it, before the first commit.
    private static func newFile() throws -> Data {
        let store = try TemporaryStore()
        return try Data(contentsOf: data(store.path))
    }

    private static func data(_ path: String) -> URL { URL(fileURLWithPath: path + "/data.mdb") }

    @Test(arguments: Leftover.allCases)
    func `A file whose making was cut short is made anew`(leftover: Leftover) throws {
        let directory = try TemporaryDirectory()
        let bytes = leftover.bytes(of: try Self.newFile())
        try bytes.write(to: Self.data(directory.path))

        let options = LMDBEnvironment.Options(isReadOnly: true)
        #expect(code { try LMDBEnvironment.open(at: directory.path, options: options).close() } == .unfinished)
        #expect(try Data(contentsOf: Self.data(directory.path)) == bytes, "reading changes nothing")

        let environment = try LMDBEnvironment.open(at: directory.path)
        try environment.store([("a", "1")])
        environment.close()
        let again = try LMDBEnvironment.open(at: directory.path)
        #expect(try again.value("a") == "1")
        again.close()
    }

    @Test(arguments: [200, 4095, 4096 + 200, 8191, 8192, 20_000])
    func `A file with a damaged meta page and anything else in it stays as it is`(place: Int) throws {
        let directory = try TemporaryDirectory()
        for damaged in [0, Self.page] {
            var bytes = try Self.newFile()
            bytes.replaceSubrange(damaged..<damaged + 152, with: Data(count: 152))
            if bytes.count <= place { bytes.append(Data(count: place + 1 - bytes.count)) }
            bytes[place] = 1
            try bytes.write(to: Self.data(directory.path))
            let found = try #require(code { try LMDBEnvironment.open(at: directory.path).close() })
            #expect([.damaged, .notAStore].contains(found))
            #expect(try Data(contentsOf: Self.data(directory.path)) == bytes)
        }
    }

    @Test
    func `A file with one commit and a damaged meta page stays as it is`() throws {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path)
        try environment.store([("a", "1")])
        environment.close()
        var bytes = try Data(contentsOf: Self.data(directory.path))
        bytes.replaceSubrange(Self.page..<Self.page + 152, with: Data(count: 152))
        try bytes.write(to: Self.data(directory.path))
        #expect(code { try LMDBEnvironment.open(at: directory.path).close() } == .damaged)
        #expect(try Data(contentsOf: Self.data(directory.path)) == bytes)
    }

    @Test
    func `Somebody who is at work on the files is waited for`() async throws {
        let directory = try TemporaryDirectory()
        try Self.newFile().prefix(Self.page).write(to: Self.data(directory.path))
        guard let lock = try LockFile.take(in: directory.path, fileMode: 0o640) else { throw POSIXError(.EBUSY) }
        // Long enough for any machine, because the test only checks that the open waits.
        var options = LMDBEnvironment.Options.test
        options.patienceSeconds = 600
        async let opening = LMDBEnvironment.openElsewhere(directory.path, options)
        // The open leaves the file alone while the lock is held.
        for _ in 0..<10 {
            await Task.yield()
            #expect(try Data(contentsOf: Self.data(directory.path)).count == Self.page)
        }
        lock.release()
        try await opening.close()
    }

    @Test
    func `Who has the store open is not waited for without end`() throws {
        let directory = try TemporaryDirectory()
        try Self.newFile().prefix(Self.page).write(to: Self.data(directory.path))
        guard let lock = try LockFile.take(in: directory.path, fileMode: 0o640) else { throw POSIXError(.EBUSY) }
        let options = LMDBEnvironment.Options(patienceSeconds: 0.1)
        #expect(code { try LMDBEnvironment.open(at: directory.path, options: options).close() } == .busy)
        lock.release()
    }
}
