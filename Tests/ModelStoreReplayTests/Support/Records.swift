import Foundation
import ModelStore

@Record
struct Room {
    @ID var name: String
    var floor: Int = 0
}

@Record
struct Sensor {
    @ID var id: String
    @Reference(onDelete: .cascade) var room: Reference<Room>?
    @Unique var serial: String
    @Indexed var celsius: Double
    var note: String?
    var tags: [String] = []
    var seen: Date = .transactionTime
}

@Record
struct Ticket {
    @ID(.assigned) var number: Int = 0
    var token: UUID = .newID
    var text: String
}

/// Refers to a type that refers to it.
@Record
struct Player {
    @ID var name: String
    @Reference(onDelete: .nullify) var team: Reference<Team>?
}

@Record
struct Team {
    @ID var name: String
    @Reference(onDelete: .nullify) var leader: Reference<Player>?
}

/// Moves a sensor to another room.
struct MoveSensor: Action, Equatable {
    var id: String
    var room: String?

    func run(in tx: inout WriteTransaction) throws -> Bool {
        guard try tx.get(Sensor.self, id: id) != nil else { return false }
        try tx.update(Sensor.self, id: id) { $0.room = room.map { Reference($0) } }
        return true
    }
}

/// Adds a ticket whose number, token and time come from the transaction.
struct AddTicket: Action {
    var text: String

    func run(in tx: inout WriteTransaction) throws {
        let mark = Int.random(in: 0..<1_000, using: &tx.random)
        try tx.insert(Ticket(text: "\(text) \(mark) \(tx.newID())"))
    }
}
