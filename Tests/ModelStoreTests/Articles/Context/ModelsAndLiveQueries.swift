@Record
struct Sensor {
    @ID var id: String
    var celsius: Double
    var note: String?
}

@Record
struct Room {
    @ID var name: String
    var floor: Int
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let sensor: Model<Sensor> = assumed()
let hot = Sensor.where { $0.celsius > 30 }
let rooms = Room.where { $0.floor > 0 }
let query: LiveQuery<Sensor> = assumed()
