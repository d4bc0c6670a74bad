@Record
struct Sensor: Equatable {
    @ID var id: String
    var name: String
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let path: String = assumed()
