@Record
struct Sensor {
    @ID var id: String
    var celsius: Double
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let position: Position = assumed()
let yesterday: Position = assumed()
let ids: [String] = []
