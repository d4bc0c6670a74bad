import Foundation
import LMDB
import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
import Testing

@Record
private struct Lamp {
    @ID var id: String
    var isOn: Bool = false
}

@Suite("The texts of errors") struct ErrorTextTests {
    private static let error = StoreError(
        .recordNotFound, "no record Sensor with id s9", remedy: "insert it first, or use upsert")

    @Test func `a printed error begins with its code`() {
        #expect(
            "\(Self.error)" == "[recordNotFound] no record Sensor with id s9; insert it first, or use upsert")
        #expect("\(StoreError(.closed, "the store is closed"))" == "[closed] the store is closed")
        let below = LMDBError(.mapFull, operation: "mdb_put", detail: "the map is full", remedy: "grow it")
        #expect("\(below)" == "[mapFull] mdb_put: the map is full; grow it")
        #expect(
            "\(StoreError(below))"
                == "[mapFull] the map is full; raise the process's limit on address space (ulimit -v), then retry")
    }

    @Test func `an error inside another message has neither a code nor a full stop at its end`() {
        #expect(ErrorText.of(Self.error) == "no record Sensor with id s9; insert it first, or use upsert")
        let foundation = CocoaError(.fileWriteNoPermission, userInfo: [NSUnderlyingErrorKey: POSIXError(.EACCES)])
        #expect(ErrorText.of(foundation) == "Permission denied")
        #expect(!ErrorText.of(CocoaError(.fileNoSuchFile)).hasSuffix("."))
    }

    @Test func `an update of a missing record says to insert it`() throws {
        let store = try Store.temporary(records: Lamp.self)
        for isWhole in [true, false] {
            let error = #expect(throws: StoreError.self) {
                try store.write { tx in
                    if isWhole { return try tx.update(Lamp(id: "a")) }
                    try tx.update(Lamp.self, id: "a") { $0.isOn = true }
                }
            }
            #expect(error?.text == "there is no Lamp with the id a; insert it first, or use upsert")
        }
    }

    @Test func `the error for an unknown consumer lists those that the store has`() async throws {
        let store = try Store.temporary(records: Lamp.self)
        var error = await #expect(throws: StoreError.self) { try await store.deleteConsumer("mailr") }
        #expect(error?.code == .consumerNotFound)
        #expect(error?.text == #"there is no consumer "mailr"; start a consumer first, because the store has none"#)
        let held = try await store.holdConsumer("mailer")
        for number in 1...9 { _ = try await store.holdConsumer("consumer \(number)") }
        let names = (1...8).map { #""consumer \#($0)""# }.joined(separator: ", ")
        let remedy = "name one that the store has: \(names) and 2 more"
        error = await #expect(throws: StoreError.self) { try await store.resetConsumer("mailr", to: .oldest) }
        #expect(error?.remedy == remedy)
        error = await #expect(throws: StoreError.self) {
            try await store.wait(forConsumer: "mailr", toPass: store.position)
        }
        #expect(error?.remedy == remedy)
        // The error of a deleted consumer's holder lists no other consumers.
        try await store.deleteConsumer("mailer")
        error = #expect(throws: StoreError.self) { try held.position }
        #expect(error?.message == #"the consumer "mailer" no longer exists"#)
        #expect(
            error?.remedy == "hold the consumer again, which creates a new one: it was deleted while it was held")
    }

    @Test func `a notice of a failed write names the code of its error nowhere in its sentence`() async throws {
        let directory = try TestDirectory()
        let (notices, continuation) = AsyncStream.makeStream(of: OwnershipNotice.self)
        var options = StoreOptions()
        options.ownership.onNotice = { continuation.yield($0) }
        let store = try Store(at: directory.path, records: Lamp.self, options: options)
        try await store.write { try $0.insert(Lamp(id: "a")) }
        let lamp = try store.model(Lamp.self, id: "a")
        let isOn = lamp.binding(\.isOn)
        try await store.write { _ = try $0.delete(Lamp.self, id: "a") }
        isOn.wrappedValue = true
        for await notice in notices where notice.code == .writeFailed {
            #expect(notice.message.contains("was not committed: there is no Lamp with the id"), "\(notice)")
            #expect(!notice.message.contains("["), "\(notice)")
            break
        }
        store.close()
    }
}
