import ModelStore
import ModelStoreCombine
import ModelStoreComponents
import OpenCombine

@Record
struct Sensor {
    @ID var id: String
    var celsius: Double
    var note: String?
}

// The article's import chooses the protocol.
final class Session: ObservableObject, Sendable {
    let objectWillChange = ObjectWillChange()
    @Published var user = ""
}

extension Session: OpenCombine.ObservableObject {}

final class Gauge {
    var celsius = 0.0
}

final class Label {
    var text = ""
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let position: Position = assumed()
let session: Session = assumed()
let sensor: Model<Sensor> = assumed()
let unit: ModelStoreComponents.Subject<String> = assumed()
nonisolated(unsafe) let gauge = Gauge()
nonisolated(unsafe) let label = Label()
nonisolated(unsafe) var subscriptions: Set<AnyCancellable> = []
