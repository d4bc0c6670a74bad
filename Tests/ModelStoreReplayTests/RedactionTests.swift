import Foundation
import ModelStore
import ModelStoreReplay
import Testing

/// A type before and after a change: a field is renamed.
private enum Before {
    @Record struct Person: Equatable {
        @ID var id: Int
        var name: String
        var gone: String
    }
}

private enum After {
    @Record struct Person: Equatable {
        @ID var id: Int
        @Renamed(from: "name") var alias: String
    }
}

@Record private struct Host: Equatable {
    @ID var id: Int
    @Unique var port: Int16
    var names: Set<String>
}

@Record private struct Guest: Equatable {
    @ID var id: Int
    @Unique var name: String
}

@Record private struct Letter: Equatable {
    @ID var id: Int
    var to: Reference<Guest>
    var text: String

    static let toGuest = Inverse<Guest, Letter>(\.to)
}

/// Three types, each of which refers to the next, declared in this order. The id of the second is its reference to the third.
private enum Chain {
    @Record struct Visit {
        @ID var number: Int
        var of: Reference<Chart>
    }

    @Record struct Chart {
        @ID @Reference(onDelete: .deny) var patient: Reference<Patient>
        var text: String
    }

    @Record struct Patient {
        @ID var name: String
    }
}

@Suite("Redaction") struct RedactionTests {
    @Test func `A redacted id does not reach the trace through a reference to a reference`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Chain.Visit.self, Chain.Chart.self, Chain.Patient.self)
        try await store.write { tx in
            try tx.insert(Chain.Patient(name: "secret"))
            try tx.insert(Chain.Chart(patient: Reference("secret"), text: "well"))
            try tx.insert(Chain.Visit(number: 1, of: Reference(Reference("secret"))))
        }
        var options = RecordingOptions()
        options.redactedFields = ["Patient.name"]
        let recorder = try await Recorder(store, to: folder.file("t"), options: options)
        try await store.write { try $0.insert(Chain.Visit(number: 2, of: Reference(Reference("secret")))) }
        try await recorder.finish()
        let text = String(decoding: try folder.read("t"), as: UTF8.self)
        #expect(!text.contains("secret") && text.contains("redacted-1"))
        try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        let replayed = try Store(
            at: folder.file("store"), records: Chain.Visit.self, Chain.Chart.self, Chain.Patient.self)
        defer { replayed.close() }
        // All records still name the same patient.
        let visits = try replayed.read { try $0.fetch(FetchRequest<Chain.Visit>()) }
        #expect(visits.map(\.of.id.id) == ["redacted-1", "redacted-1"])
        #expect(try replayed.read { try $0.get(Chain.Patient.self, id: "redacted-1") } != nil)
    }

    @Test(arguments: [["Person.alias", "Person.gone"], ["Person.name", "Person.gone"]])
    func `A field is redacted by any name that it has or had, also where it has another, or is gone`(
        names: [String]
    ) async throws {
        let folder = try Folder()
        let before = try Store(at: folder.file("source"), records: Before.Person.self)
        try await before.write { try $0.insert(Before.Person(id: 1, name: "secret one", gone: "secret two")) }
        before.close()
        let store = try Store(at: folder.file("source"), records: After.Person.self)
        try await store.write { try $0.insert(After.Person(id: 2, alias: "secret three")) }
        var options = RecordingOptions()
        options.redactedFields = names
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        let text = String(decoding: try folder.read("t"), as: UTF8.self)
        #expect(!text.contains("secret") && text.contains("redacted-3"), "\(text)")
        store.close()
    }

    @Test func `Texts that the store tells apart have others to stand for them`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Guest.self)
        let forms = ["\u{E9}", "e\u{301}"]
        try await store.write { tx in
            for (id, form) in forms.enumerated() { try tx.insert(Guest(id: id, name: form)) }
        }
        var options = RecordingOptions()
        options.redactedFields = ["Guest.name"]
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        let replayed = try Store(at: folder.file("store"), records: Guest.self)
        let names = try replayed.read { try $0.fetch(FetchRequest<Guest>()) }.map(\.name)
        #expect(names == ["redacted-1", "redacted-2"])
        replayed.close()
    }

    @Test func `Every value of sixteen bits has another to stand for it, and sets stay in order`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Host.self)
        try await store.write { tx in
            for number in 0..<40_000 {
                let names: Set = ["a\(number % 30)", "b\(number % 31)", "c\(number % 32)"]
                try tx.insert(Host(id: number, port: Int16(truncatingIfNeeded: number), names: names))
            }
        }
        var options = RecordingOptions()
        options.redactedFields = ["Host.port", "Host.names"]
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(summary.changeSetCount == 2)
        let replayed = try Store(at: folder.file("store"), records: Host.self)
        #expect(try replayed.read { try $0.count(Host.self) } == 40_000)
        replayed.close()
    }

    @Test func `A live query that reads redacted fields of what refers to its records is not recorded`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Guest.self, Letter.self)
        var options = RecordingOptions()
        options.redactedFields = ["Letter.text"]
        let recorder = try await Recorder(store, to: folder.file("t"), options: options)
        var guests = store.updates(of: Guest.where { _ in Letter.toGuest.any { $0.text == "secret" } })
            .makeAsyncIterator()
        _ = try await guests.next()
        try await store.write { tx in
            try tx.insert(Guest(id: 1, name: "Ada"))
            try tx.insert(Letter(id: 1, to: 1, text: "secret"))
        }
        #expect(try await guests.next()?.results.map(\.id) == [1])
        try await recorder.finish()
        let text = String(decoding: try folder.read("t"), as: UTF8.self)
        #expect(!text.contains("secret") && text.contains("fields are redacted"), "\(text)")
        store.close()
    }
}
