@Record
struct Inspection {
    @ID(.assigned) var id: Int = 0
    @Indexed var sensor: String
}

@Record
struct Sensor {
    @ID var id: String
    var celsius: Double = 0
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
