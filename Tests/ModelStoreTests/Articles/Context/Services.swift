import ModelStore
import ServiceLifecycle

@Record
struct Sale {
    @ID(.assigned) var id: Int = 0
    var customer: String
    var cents: Int
}

@Record
struct Total {
    @ID var customer: String
    var cents: Int
}

struct Server: Service {
    func run() async throws {}
}

func add(_ change: Change<Sale>, to tx: inout WriteTransaction) throws {}
func mail(_ change: Change<Sale>, key: String) async throws {}
let server = Server()
