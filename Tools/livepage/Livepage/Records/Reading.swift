import ModelStore

/// The current reading of a sensor.
@Record
struct Reading {
    /// The name of the sensor.
    @ID var sensor: String
    /// The id of the ``Room`` of the sensor.
    @Indexed var room: String
    /// The measured temperature.
    var celsius: Double
}
