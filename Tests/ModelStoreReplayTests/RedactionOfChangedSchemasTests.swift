import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

@testable import ModelStoreReplay

@Record private struct Person {
    @ID var email: String
    var age: Int
}

/// Added while the recorder is running.
@Record private struct Visit {
    @ID var id: Int
    var person: Reference<Person>
}

@Record private struct Note {
    @ID var id: Int
    var text: String
}

@Record("Note") private struct SignedNote {
    @ID var id: Int
    var text: String
    var by: Reference<Person>?
}

@Suite("Redaction while the schema changes") struct RedactionOfChangedSchemasTests {
    private func type(_ number: UInt32, _ name: String, _ fields: [FieldSchema]) throws -> RecordType {
        try RecordType(id: number, declared: RecordSchema(name: name, fields: fields, id: IDSchema([0])))
    }

    private func redacted(_ record: [(String, String)], of type: RecordType, by redactor: inout Redactor) -> String {
        var json = JSONValue.object(record.map { JSONMember($0, .string($1)) })
        redactor.redact(&json, of: type)
        return JSONWriter.text(of: json)
    }

    @Test func `References of a type that comes later do not tell a redacted id`() async throws {
        let (store, folder) = (try Store.temporary(records: Person.self), try Folder())
        try await store.write { try $0.insert(Person(email: "secret one", age: 1)) }
        var options = RecordingOptions()
        options.redactedFields = ["Person.email"]
        let recorder = try await Recorder(store, to: folder.file("t"), options: options)
        try store.addTypes([Visit.recordSchema])
        let visit = try store.typeIndex(named: "Visit")
        try await store.write { tx in
            try tx.insert(Person(email: "secret two", age: 2))
            for (id, email) in ["secret one", "secret two"].enumerated() {
                let record = DynamicRecord(values: [.int(Int64(id)), .string(email)])
                try tx.put(record, typeIndex: visit, mode: .insert)
            }
        }
        try await recorder.finish()
        let text = String(decoding: try folder.read("t"), as: UTF8.self)
        #expect(!text.contains("secret") && text.contains(#""person":"redacted-2""#), "\(text)")
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(summary.changeSetCount == 2)
        let replayed = try Store(at: folder.file("store"), records: Person.self, Visit.self)
        #expect(try replayed.read { try $0.fetch(Visit.where { $0.person.age == 2 }) }.map(\.id) == [1])
        replayed.close()
    }

    @Test func `Deliveries of a type that comes to refer to a redacted id end`() async throws {
        let (store, folder) = (try Store.temporary(records: Person.self, Note.self), try Folder())
        try await store.write { try $0.insert(Person(email: "secret one", age: 1)) }
        var options = RecordingOptions()
        options.redactedFields = ["Person.email"]
        let recorder = try await Recorder(store, to: folder.file("t"), options: options)
        var notes = store.updates(of: FetchRequest<Note>()).makeAsyncIterator()
        _ = try await notes.next()
        try await store.write { try $0.insert(Note(id: 1, text: "plain")) }
        _ = try await notes.next()
        try store.addTypes([SignedNote.recordSchema])
        let place = try store.typeIndex(named: "Note")
        try await store.write { tx in
            let record = DynamicRecord(values: [.int(2), .string("signed"), .string("secret one")])
            try tx.put(record, typeIndex: place, mode: .insert)
        }
        _ = try await notes.next()
        try await recorder.finish()
        let text = String(decoding: try folder.read("t"), as: UTF8.self)
        #expect(!text.contains("secret") && text.contains(#""by":"redacted-1""#), "\(text)")
        #expect(text.contains(#"{"unsubscribe":1}"#))
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(summary.deliveryCount == 2)
    }

    @Test func `A type that takes the place of another is redacted by its name`() throws {
        let old = try type(1, "Person", [FieldSchema("id", String.self), FieldSchema("name", String.self)])
        var redactor = try Redactor(["Person.name"], [old])
        let new = try type(2, "Person", [FieldSchema("name", String.self), FieldSchema("id", String.self)])
        try redactor.become(new)
        let text = redacted([("name", "secret"), ("id", "a")], of: new, by: &redactor)
        #expect(text == #"{"name":"redacted-1","id":"a"}"#)
        // A reference to a field that only now is an id.
        let visit = try type(
            3, "Visit",
            [
                FieldSchema("id", String.self),
                FieldSchema(
                    name: "person", type: .reference(to: "Person", id: .string), defaultValue: nil, renamedFrom: []),
            ])
        try redactor.become(visit)
        #expect(
            redacted([("id", "b"), ("person", "secret")], of: visit, by: &redactor)
                == #"{"id":"b","person":"redacted-1"}"#)
    }

    @Test func `A field that comes again under a name that it had is redacted`() throws {
        let old = try type(1, "Person", [FieldSchema("id", String.self), FieldSchema("name", String.self)])
        var redactor = try Redactor(["Person.name"], [old])
        var renamed = old
        renamed.fields[1].schema = FieldSchema("alias", String.self, renamedFrom: ["name"])
        try redactor.become(renamed)
        let other = try type(2, "Person", [FieldSchema("id", String.self), FieldSchema("alias", String.self)])
        try redactor.become(other)
        let text = redacted([("id", "a"), ("alias", "secret")], of: other, by: &redactor)
        #expect(text == #"{"id":"a","alias":"redacted-1"}"#)
    }

    @Test func `A field whose values nothing can stand for ends the recording`() throws {
        let old = try type(1, "Person", [FieldSchema("id", String.self), FieldSchema("name", String.self)])
        var redactor = try Redactor(["Person.name"], [old])
        let new = try type(2, "Person", [FieldSchema("id", String.self), FieldSchema("name", Bool.self)])
        let error = #expect(throws: StoreError.self) { try redactor.become(new) }
        #expect(error?.code == .notRecordable && error?.message.contains("Person.name") == true)
    }

    @Test func `What stands for a redacted field's default stands in its description, too`() async throws {
        let folder = try Folder()
        let old = try Store(at: folder.file("s"), records: Member.self)
        try await old.write { try $0.insert(Member(id: 1)) }
        await old.shutdown()
        // Rows older than a field have its default value, which is in no change set.
        let store = try Store(at: folder.file("s"), records: TokenMember.self)
        try await store.write { try $0.insert(TokenMember(id: 2)) }
        try await store.write { try $0.update(TokenMember.self, id: 1) { $0.token = "secret two" } }
        try await store.write { try $0.delete(TokenMember.self, id: 2) }
        for start in [RecordingOptions.Start.oldest, .newest] {
            var options = RecordingOptions()
            options.redactedFields = ["Member.token"]
            options.start = start
            let path = folder.file("t-\(start == .oldest)")
            try store.record(to: path, options: options)
            let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
            for secret in ["secret one", "secret two"] {
                #expect(!text.contains(secret) && !text.contains(Data(secret.utf8).base64EncodedString()))
            }
            try await Replayer.replay(path)
        }
        await store.shutdown()
    }

    @Test func `What an action has drawn cannot be drawn again`() throws {
        let redactor = try Redactor(["Person.name"], [type(1, "Person", [FieldSchema("name", String.self)])])
        let action = RecordedAction(name: "LogIn", payload: Array("{}".utf8), result: nil, seed: 77)
        #expect(redactor.redact(action).seed == 0 && redactor.redact(action).payload == Array("null".utf8))
    }
}

@Record
private struct Member {
    @ID var id: Int
}

@Record("Member")
private struct TokenMember {
    @ID var id: Int
    var token: String = "secret one"
}
