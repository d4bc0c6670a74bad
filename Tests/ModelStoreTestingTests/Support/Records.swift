import Foundation
import ModelStore

@Record
struct Lamp {
    @ID var id: String
    @Indexed var room: String = "hall"
    var watts: Int = 0
    var token: UUID = .newID
    var bought: Date = .now
}
