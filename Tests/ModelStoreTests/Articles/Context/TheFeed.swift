@Record
struct Sensor {
    @ID var id: String
    var celsius: Double
}

@Record
struct Product {
    @ID var id: Int
    var stock: Int
    var price: Int
}

@Record
struct Order {
    @ID var id: Int
    var total: Int
}

@Record
struct Sale {
    @ID var id: Int
    var amount: Int
}

func assumed<T>() -> T { fatalError() }
func send(_ set: ChangeSet) async throws {}
let store: Store = assumed()
nonisolated(unsafe) var position: Position = assumed()
nonisolated(unsafe) var copy: [String: Sensor] = [:]
