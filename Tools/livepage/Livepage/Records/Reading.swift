import ModelStore

/// What a sensor says now.
@Record
struct Reading {
    /// The sensor.
    @ID var sensor: String
    /// The id of the ``Room`` that it is in.
    @Indexed var room: String
    /// The temperature that it measures.
    var celsius: Double
}
