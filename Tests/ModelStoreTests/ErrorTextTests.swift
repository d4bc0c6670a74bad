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

@Embedded
private struct Scale {
    var marks: Set<Double> = []
}

@Record
private struct Meter {
    @ID var id: Int
    var limits: Set<Double> = []
    var names: [Double: String] = [:]
    var scale: Scale = Scale()
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

    @Test func `an id in a description cannot control the terminal`() async throws {
        func expectEscaped(_ description: String, _ what: String) {
            let isPlain = description.unicodeScalars.allSatisfy { $0 == "\n" || $0.isASCII && $0.value >= 0x20 }
            #expect(isPlain && description.contains("]0;title"), "\(what): \(description)")
        }
        let store = try Store.temporary(records: Lamp.self)
        let id = "s\u{1B}]0;title\u{7}\u{202E}"
        let error = #expect(throws: StoreError.self) { try store.write { try $0.update(Lamp(id: id)) } }
        expectEscaped("\(try #require(error))", "error")
        expectEscaped(try #require(error).text, "text inside another message")
        #expect(StoreError(.other, id).message == id)
        expectEscaped("\(OwnershipNotice(.leaked, id, line: nil))", "notice")
        expectEscaped("\(CodecError(id))", "codec error")
        try await store.write { _ = try $0.insert(Lamp(id: id)) }
        let scope = try store.scope(id)
        expectEscaped("\(store.ownership.report())", "report")
        scope.close()
        let set = try store.changeSet(sequence: 2)
        expectEscaped("\(set)", "change set")
        for change in set.changes { expectEscaped("\(change)", "change") }
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

    @Test(arguments: [("", "empty"), ("  ", "blank"), ("\t\n", "blank"), ("\u{200B}", "blank")])
    func `an empty or blank path names nothing`(path: String, text: String) async throws {
        let message = "the path of the store is \(text); name a file or a directory"
        var error = #expect(throws: StoreError.self) { _ = try Store(at: path, records: Lamp.self) }
        #expect(error?.code == .invalidValue && error?.text == message)
        error = await #expect(throws: StoreError.self) { _ = try await Store.open(at: path, records: Lamp.self) }
        #expect(error?.text == message)
        error = #expect(throws: StoreError.self) { try Store.restore(from: path, to: NSTemporaryDirectory() + "none") }
        #expect(error?.text == "the path of the backup is \(text); name a file or a directory")
    }

    @Test(arguments: [" ", "\u{200B}", "\u{A0}\t"]) func `a blank text names no consumer`(name: String) async throws {
        let store = try Store.temporary(records: Lamp.self)
        let error = await #expect(throws: StoreError.self) { _ = try await store.holdConsumer(name) }
        #expect(error?.code == .invalidValue)
        #expect(error?.text == "the consumer's name is blank; choose a name with visible characters")
    }

    @Test func `a value that cannot be encoded is named by its field, with what to do`() async throws {
        let store = try Store.temporary(records: Meter.self)
        var twice: [Double: String] = [.nan: "a"]
        twice[.nan] = "b"
        let set =
            "the set has two elements that are the same in the store, such as two NaN; remove one of the two elements"
        let meters = [
            (Meter(id: 1, limits: [.nan, .nan]), "limits: \(set)"),
            (Meter(id: 1, scale: Scale(marks: [.nan, .nan])), "scale.marks: \(set)"),
            (
                Meter(id: 1, names: twice),
                "names: the dictionary has two keys that are the same in the store, such as two NaN; "
                    + "remove one of the two keys"
            ),
        ]
        for (meter, text) in meters {
            let error = await #expect(throws: StoreError.self) { try await store.write { try $0.insert(meter) } }
            #expect(error?.code == .invalidValue && error?.text == "a record of Meter cannot be encoded: \(text)")
        }
    }

    @Test func `a write without any time to begin says so`() async throws {
        let store = try Store.temporary(records: Lamp.self)
        // The writer is busy until the write has timed out.
        let (blocked, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Task.immediate {
            try await store.write { _ in
                blocked.signal()
                free.wait()
            }
        }
        await BlockingWork.run { blocked.wait() }
        let error = await #expect(throws: StoreError.self) { try await store.write(timeout: .zero) { _ in } }
        free.signal()
        try await first.value
        #expect(error?.code == .writeTimeout)
        #expect(
            error?.text == """
                a timeout of zero leaves the writer no time to begin the write; give the write a longer timeout, or none to \
                wait without limit
                """)
    }

    private static func error<T>(_ body: () throws -> T) -> StoreError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `a condition that is not met is named by its line, with what was found`() async throws {
        let store = try ModelTests.store(sensors: 1)
        let original = try #require(try store.get(Sensor.self, id: "s0"))
        try await store.write { tx in
            let line = #line + 1
            var error = Self.error { try tx.update(Sensor.self, id: "s0", where: { $0.celsius < 3 }) { $0.note = "" } }
            #expect(
                error?.message.hasPrefix(
                    "the Sensor with the id s0 does not meet the condition at ModelStoreTests/ErrorTextTests.swift:\(line): "
                        + #"it is {"id":"s0","room":"hall""#) == true)
            #expect(error?.message.hasSuffix("}") == true && error?.code == .conditionNotMet)
            error = Self.error { try tx.delete(Sensor.self, id: "none", where: { _ in true }) }
            #expect(
                error?.text
                    == "there is no Sensor with the id none, so the condition does not hold; insert the record first")
            try tx.update(Sensor.self, id: "s0") { sensor in
                sensor.celsius = 9
                sensor.note = "new"
            }
            var changed = original
            changed.room = "attic"
            error = Self.error { try tx.update(changed, ifUnchanged: original) }
            #expect(
                error?.text == """
                    the Sensor with the id s0 has changed, celsius is 9.0, not 20.0, note is "new", not null; read the record \
                    again and retry
                    """)
            error = Self.error { try tx.delete(ifUnchanged: original) }
            #expect(error?.message.contains("celsius is 9.0, not 20.0") == true)
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
        // The error of a deleted consumer's holder lists no other consumers.
        try await store.deleteConsumer("mailer")
        error = #expect(throws: StoreError.self) { try held.position }
        #expect(error?.message == #"the consumer "mailer" no longer exists"#)
        #expect(
            error?.remedy == "hold the consumer again, which creates a new one: it was deleted in the meantime")
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
