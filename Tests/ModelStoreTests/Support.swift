import Foundation
import ModelStore

/// The kinds of rooms that sensors hang in.
enum Floor: String, IndexableValue, CaseIterable {
    case ground, first, attic
}

@Record
struct Sensor {
    @ID var id: String
    @Indexed var room: String
    @Unique var serial: String
    var celsius: Double = 0
    var note: String?
    var floor: Floor = .ground
}

@Record
struct Account: Hashable {
    @ID(.assigned) var id: Int = 0
    @Unique var email: String
    @Indexed var balance: Int
    var opened: Date = .now
    var token: UUID = .newID
}
