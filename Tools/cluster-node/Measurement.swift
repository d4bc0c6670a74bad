import ModelStore

/// A value that the demonstration writes, as one version of the program knows it.
protocol MeasuredValue: Record where ID == String {
    var id: String { get }
    static func make(_ id: String) -> Self
}

/// The newest version.
@Record
struct Measurement: MeasuredValue {
    @ID var id: String
    var value: Int
    var unit: String = "mm"

    static func make(_ id: String) -> Measurement { Measurement(id: id, value: id.count) }
}

/// The version before, which continues beside the newest one.
enum PreviousProgram {
    @Record("Measurement")
    struct Measurement: MeasuredValue {
        @ID var id: String
        var value: Int

        static func make(_ id: String) -> Self { Self(id: id, value: id.count) }
    }
}
