import Foundation
import Glibc
import ModelStore
import ModelStoreReplay
import StoreEngine
import StoreRuntime
import Testing

@Suite("Recorders that fail") struct RecorderFailureTests {
    /// Replaces an open file of this process with a full device.
    private func fillDisk(below path: String) throws {
        let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        let wanted = try #require(Self.identity { unsafe stat(path, &$0) })
        var count = 0
        for file in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let number = Int32(file), Self.identity({ unsafe fstat(number, &$0) }) == wanted else { continue }
            #expect(dup2(full, number) == number)
            count += 1
        }
        #expect(count == 1)
    }

    /// Returns the device and the number of a file; nil if there is none.
    private static func identity(_ look: (inout stat) -> Int32) -> [UInt64]? {
        var status = stat()
        return look(&status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }

    private func failure(_ body: () async throws -> Void) async -> StoreError? {
        await #expect(throws: StoreError.self) { try await body() }
    }

    /// Checks that the store can still be written and recorded.
    private func expectGoesOn(_ store: Store, _ folder: Folder) async throws {
        try await store.send(AddTicket(text: "on"))
        let recorder = try await Recorder(store, to: folder.file("again"))
        try await store.send(AddTicket(text: "and on"))
        #expect(try await recorder.finish().changeSetCount == 1)
        #expect(try await Replayer.replay(folder.file("again")).hasEqualHashes)
    }

    @Test func `A disk that becomes full ends the recording, and neither the writers nor the next recorder`()
        async throws
    {
        let (store, folder) = (try Store.temporary(records: Ticket.self), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        try fillDisk(below: folder.file("t"))
        try await store.send(AddTicket(text: "lost"))
        for _ in 1...2 {
            let error = await failure { try await recorder.finish() }
            #expect(error?.code == .ioError)
        }
        try await expectGoesOn(store, folder)
    }

    @Test func `A full disk is an error at the beginning`() async throws {
        let (store, folder) = (try Store.temporary(records: Ticket.self), try Folder())
        let error = await failure { _ = try await Recorder(store, to: "/dev/full") }
        #expect(error?.code == .ioError)
        try await expectGoesOn(store, folder)
    }

    @Test func `A feed that lets go what was not written yet ends the recording, and leaves no gap`() async throws {
        let folder = try Folder()
        var options = StoreOptions()
        options.limits.retainedChangeSets = 10
        let store = try Store.temporary(records: Ticket.self, options: options)
        let recorder = try await Recorder(store, to: folder.file("t"))
        // This is one commit, so the recorder cannot read its first change sets in time.
        _ = try store.replay(
            (0..<100).map { number in
                ReplayedWrite(
                    time: Date(timeIntervalSinceReferenceDate: 0), originName: "test", processID: 1, epoch: 1,
                    .closure { tx in try tx.insert(Ticket(text: "\(number)")) })
            })
        let error = await failure { try await recorder.finish() }
        #expect(error?.code == .positionCompacted)
        #expect(try !String(decoding: folder.read("t"), as: UTF8.self).contains(#"{"commit""#))
        try await expectGoesOn(store, folder)
    }
}
