@Record
struct Inspection {
    @ID(.assigned) var id: Int = 0
    @Indexed var sensor: String
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
