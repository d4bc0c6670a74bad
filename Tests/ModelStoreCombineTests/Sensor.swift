#if OpenCombine
import ModelStore

@Record
struct Sensor {
    @ID var id: String
    var celsius: Double = 20
    var note: String?
}
#endif
