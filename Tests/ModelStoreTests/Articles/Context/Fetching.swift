@Record
struct Room {
    @ID var id: String
    var floor: Int
}

@Embedded
struct Address {
    var street: String
    var city: String
}

@Record
struct Sensor {
    @ID var id: String
    var room: Reference<Room>
    var address: Address
    var celsius: Double
    var note: String?
}

@Embedded
struct Summary {
    var id: String
    var celsius: Double
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let inspections: [Inspection] = assumed()
let broken: Sensor = assumed()
let hot = Sensor.where { $0.celsius > 30 }
let token: PageToken = assumed()
