@Record
struct Sensor {
    @ID var id: String
    var room: String
    @Unique var serial: String
    var celsius: Double
    var note: String?
}

struct Importer {
    func run() async throws {}
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let importer = Importer()
let hot = Sensor.where { $0.celsius > 30 }
