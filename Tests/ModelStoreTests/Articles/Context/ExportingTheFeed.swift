struct Broker {
    func send(topic: String, key: String?, value: String) async throws {}
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let broker = Broker()
nonisolated(unsafe) var position: Position = assumed()
