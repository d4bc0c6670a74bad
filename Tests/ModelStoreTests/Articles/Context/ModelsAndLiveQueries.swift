@Record
struct Sensor {
    @ID var id: String
    var celsius: Double
    var note: String?
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let sensor: Model<Sensor> = assumed()
let hot = Sensor.where { $0.celsius > 30 }
let query: LiveQuery<Sensor> = assumed()
