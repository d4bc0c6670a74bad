import ModelStoreReplay
import ModelStoreTesting
import Testing

@Record
struct Sensor {
    @ID var id: String
    var room: String
    var celsius: Double
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
