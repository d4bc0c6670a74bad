import ModelStoreComponents
import Synchronization

@Record
struct Sensor {
    @ID var id: String
    var room: String
    var celsius: Double
    var note: String?
}

final class Session: ObservableObject, Sendable {
    @Published var user = ""
    @Published var rights: Set<String> = []

    func show(_ celsius: Double) {}
}

@Component
struct Row {
    let id: String
    let celsius: Double

    func update(_ context: inout ComponentContext) {}
}

@Component
struct Face {
    @EnvironmentObject var session: Session

    func update(_ context: inout ComponentContext) {}
}

@Component
struct Stepper {
    @Binding var count: Int

    func update(_ context: inout ComponentContext) {}
}

func assumed<T>() -> T { fatalError() }
func serve(_ session: Session) async throws {}
func show(_ session: Session) {}
let store: Store = assumed()
let connection: Scope = assumed()
let session: Session = assumed()
let host: ComponentHost = assumed()
let clock: AsyncStream<Void> = assumed()
