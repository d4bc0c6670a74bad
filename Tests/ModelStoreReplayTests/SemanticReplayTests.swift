import Foundation
import ModelStore
import ModelStoreReplay
import StoreEngine
import Testing

@Record private struct Visit {
    @ID var id: UUID = .newID
    var guest: String
    var note: String = ""
}

@Record private struct Badge {
    @ID var code: String
    var guest: String
}

@Record private struct Folio {
    @ID var name: String
    @Reference var visits: [Reference<Visit>] = []
    @Reference var ticket: Reference<Ticket>?
}

@Record private struct Seat {
    @ID var token: UUID
    @ID var row: Int
    var guest: String
    var note: String = ""
}

@Record private struct Booking {
    @ID var name: String
    @Reference var seat: Reference<Seat>?
    @Reference var others: [Reference<Seat>] = []
}

/// The actions of the earlier program.
private enum Then {
    struct AddRoom: Action {
        var name: String
        func run(in tx: inout WriteTransaction) throws { try tx.insert(Room(name: name)) }
    }

    struct Arrive: Action {
        var guest: String

        func run(in tx: inout WriteTransaction) throws {
            try tx.insert(Visit(guest: guest))
            try tx.insert(Ticket(text: guest))
        }
    }

    struct Sit: Action {
        var guest: String
        func run(in tx: inout WriteTransaction) throws { try tx.insert(Seat(token: tx.newID(), row: 1, guest: guest)) }
    }

    struct Admit: Action {
        var guest: String
        func run(in tx: inout WriteTransaction) throws { try tx.insert(Badge(code: "\(tx.newID())", guest: guest)) }
    }
}

/// The same actions in the current program.
private enum Today {
    /// This version has a planted bug.
    struct AddRoom: Action {
        var name: String
        func run(in tx: inout WriteTransaction) throws { try tx.insert(Room(name: String(name.dropLast()))) }
    }

    /// Takes one more identifier and one more number.
    struct Arrive: Action {
        var guest: String

        func run(in tx: inout WriteTransaction) throws {
            _ = tx.newID()
            let spare = try tx.insert(Ticket(text: "spare"))
            _ = try tx.delete(Ticket.self, id: spare.number)
            try tx.insert(Visit(guest: guest))
            try tx.insert(Ticket(text: guest))
        }
    }

    /// Takes one more identifier, and seats guests in another row.
    struct Sit: Action {
        var guest: String

        func run(in tx: inout WriteTransaction) throws {
            _ = tx.newID()
            try tx.insert(Seat(token: tx.newID(), row: 2, guest: guest))
        }
    }

    /// Takes one more identifier.
    struct Admit: Action {
        var guest: String

        func run(in tx: inout WriteTransaction) throws {
            _ = tx.newID()
            try tx.insert(Badge(code: "\(tx.newID())", guest: guest))
        }
    }
}

@Suite("Semantic replays of actions") struct SemanticReplayTests {
    private func store() throws -> Store {
        try Store.temporary(
            records: Room.self, Sensor.self, Ticket.self, Visit.self, Badge.self, Folio.self, Seat.self, Booking.self)
    }

    private func options(_ actions: ActionCatalog) -> ReplayOptions {
        var options = ReplayOptions(
            actions: actions, records: Room.self, Sensor.self, Ticket.self, Visit.self, Badge.self, Folio.self,
            Seat.self,
            Booking.self)
        options.comparison = .semantic
        options.maskedFields = ["Ticket.token"]
        return options
    }

    @Test func `Another id that the program chose is a divergence`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        try await store.send(Then.AddRoom(name: "attic"))
        try await recorder.finish()
        let same = options(ActionCatalog(Then.AddRoom.self))
        #expect(try await Replayer.replay(folder.file("t"), options: same).actionCount == 1)
        let divergence = await #expect(throws: ReplayDivergence.self) {
            try await Replayer.replay(folder.file("t"), options: options(ActionCatalog(Today.AddRoom.self)))
        }
        #expect(divergence?.expected.contains("attic") == true && divergence?.found.contains("atti\"") == true)
    }

    @Test func `Identifiers that are made anew may be others`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        for guest in ["Ada", "Bo", "Cy"] { try await store.send(Then.Arrive(guest: guest)) }
        try await recorder.finish()
        let summary = try await Replayer.replay(
            folder.file("t"), options: options(ActionCatalog(Today.Arrive.self)))
        #expect(summary.actionCount == 3)
    }

    @Test func `Change sets without an action are made to the records that stand for the recorded ones`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        var updates = store.updates(of: FetchRequest<Visit>()).makeAsyncIterator()
        _ = try await updates.next()
        for guest in ["Ada", "Bo", "Cy", "Di"] {
            try await store.send(Then.Arrive(guest: guest))
            _ = try await updates.next()
        }
        let visits = try store.read { try $0.fetch(FetchRequest<Visit>()) }
        var notes = try store.model(Visit.self, id: visits[1].id).values(of: \.note).makeAsyncIterator()
        #expect(await notes.next() == "")
        for visit in visits.dropLast() {
            try await store.write { try $0.update(Visit.self, id: visit.id) { $0.note = "late" } }
            _ = try await updates.next()
        }
        #expect(await notes.next() == "late")
        try await store.write { _ = try $0.delete(Visit.self, id: visits[3].id) }
        _ = try await updates.next()
        try await recorder.finish()
        let summary = try await Replayer.replay(
            folder.file("t"), into: folder.file("store"), options: options(ActionCatalog(Today.Arrive.self)))
        #expect(summary.changeSetCount == 8 && summary.deliveryCount == 9 + 2)
        let replayed = try Store(at: folder.file("store"), records: Visit.self)
        #expect(try replayed.read { try $0.fetch(FetchRequest<Visit>()) }.map(\.note) == ["late", "late", "late"])
        replayed.close()
    }

    @Test func `Requests for identifiers ask for those that stand for them, in whatever way they do`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        for guest in ["Ada", "Bo", "Cy"] { try await store.send(Then.Arrive(guest: guest)) }
        let visits = try store.read { try $0.fetch(FetchRequest<Visit>()) }
        // The numbers 1 to 3 become 2, 4 and 6 in the replay.
        let bo = try #require(visits.first { $0.guest == "Bo" }?.id)
        try await store.write { tx in
            try tx.insert(Folio(name: "x", visits: visits.map { Reference($0.id) }, ticket: Reference(3)))
            try tx.insert(Folio(name: "y", visits: [Reference(bo)], ticket: Reference(1)))
            try tx.insert(Folio(name: "z", ticket: Reference(2)))
        }
        let requests = [
            Folio.where { $0.visits.contains(Reference(bo)) }, Folio.where { $0.ticket.number == 3 },
            Folio.where { $0.ticket.in([Reference(1), Reference(2)]) },
        ]
        for (place, names) in [["x", "y"], ["x"], ["y", "z"]].enumerated() {
            var folios = store.updates(of: requests[place]).makeAsyncIterator()
            #expect(try await folios.next()?.results.map(\.name) == names)
        }
        var members = store.updates(of: Ticket.where { $0.number.in([1, 2]) }).makeAsyncIterator()
        #expect(try await members.next()?.results.map(\.number) == [1, 2])
        let folios = Inverse<Ticket, Folio>(\.ticket)
        let asked = Ticket.where { _ in folios.any { $0.visits.contains(Reference(bo)) } }
        var referred = store.updates(of: asked).makeAsyncIterator()
        #expect(try await referred.next()?.results.map(\.number) == [1, 3])
        // The replay cannot tell which numbers this request means.
        var sums = store.updates(of: Ticket.where { $0.number + 1 == 3 }).makeAsyncIterator()
        #expect(try await sums.next()?.results.map(\.number) == [2])
        try await recorder.finish()
        let summary = try await Replayer.replay(
            folder.file("t"), options: options(ActionCatalog(Today.Arrive.self)))
        #expect(summary.deliveryCount == 5 && summary.omittedSubscriptionCount == 1)
    }

    @Test func `Identifiers of several fields are followed to wherever they are`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        for guest in ["Ada", "Bo"] { try await store.send(Then.Sit(guest: guest)) }
        let seats = try store.read { try $0.fetch(FetchRequest<Seat>()) }
        let references = seats.map { Reference<Seat>($0.recordID) }
        try await store.write { tx in
            for (seat, reference) in zip(seats, references) {
                try tx.update(Seat.self, id: seat.recordID) { $0.note = "late" }
                try tx.insert(Booking(name: seat.guest, seat: reference, others: references))
            }
        }
        var bookings = store.updates(of: Booking.where { $0.name == seats[0].guest }).makeAsyncIterator()
        #expect(try await bookings.next()?.results.map(\.name) == [seats[0].guest])
        // The replay cannot tell which row this request means.
        var rows = store.updates(of: Seat.where { $0.row == 1 }).makeAsyncIterator()
        #expect(try await rows.next()?.results.count == 2)
        try await store.write { tx in
            for seat in seats { _ = try tx.delete(Booking.self, id: seat.guest) }
            _ = try tx.delete(Seat.self, id: seats[1].recordID)
        }
        try await recorder.finish()
        var options = options(ActionCatalog(Today.Sit.self))
        options.newIDTypes = ["Seat"]
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"), options: options)
        #expect(summary.actionCount == 2 && summary.deliveryCount == 1 && summary.omittedSubscriptionCount == 1)
        let replayed = try Store(at: folder.file("store"), records: Seat.self, Booking.self)
        let left = try replayed.read { try $0.fetch(FetchRequest<Seat>()) }
        #expect(left.map(\.guest) == [seats[0].guest] && left.map(\.row) == [2] && left.map(\.note) == ["late"])
        replayed.close()
    }

    @Test func `Texts that the program makes of identifiers may be others where that is said`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        try await store.send(Then.Admit(guest: "Ada"))
        try await recorder.finish()
        let unsaid = options(ActionCatalog(Today.Admit.self))
        await #expect(throws: ReplayDivergence.self) {
            try await Replayer.replay(folder.file("t"), options: unsaid)
        }
        var said = unsaid
        said.newIDTypes = ["Badge"]
        #expect(try await Replayer.replay(folder.file("t"), options: said).actionCount == 1)
    }
}
