import ModelStore

/// The ``Sensor`` record in a later version of the program.
@Record("Sensor")
struct WiderSensor {
    @ID var id: String
    @Indexed var room: String
    @Unique var serial: String
    var celsius: Double = 0
    var note: String?
    var floor: Floor = .ground
    var level: Int = 7
}

/// The record in a still later version, with an additional index.
@Record("Sensor")
struct WidestSensor {
    @ID var id: String
    @Indexed var room: String
    @Unique var serial: String
    var celsius: Double = 0
    var note: String?
    @Indexed var floor: Floor = .ground
    var level: Int = 7
    var tag: String = "t"
}

/// A version of the program, defined by the fields of a sensor that it knows.
enum SensorVersion: Int, CaseIterable {
    case first, wider, widest

    /// The record types of this and all earlier versions.
    var records: [any Record.Type] {
        let all: [any Record.Type] = [Sensor.self, WiderSensor.self, WidestSensor.self]
        return Array(all[...rawValue])
    }
}

/// The compared fields of a sensor. In a version without a field, the field has the default value with which it was added.
struct PlainSensor: Equatable {
    var celsius: Double
    var note: String?
    var level = 7
    var tag = "t"

    /// Returns the sensor as a version sees it.
    func known(to version: SensorVersion) -> PlainSensor {
        var known = self
        if version == .first { known.level = 7 }
        if version != .widest { known.tag = "t" }
        return known
    }
}

/// A change as a version sees it.
struct PlainChange: Equatable {
    let id: String
    let before: PlainSensor?
    let after: PlainSensor?

    /// Returns the change as a version sees it.
    func known(to version: SensorVersion) -> PlainChange {
        PlainChange(id: id, before: before?.known(to: version), after: after?.known(to: version))
    }
}

extension SensorVersion {
    /// Puts a sensor as this version.
    func put(_ sensor: PlainSensor, id: String, _ tx: inout WriteTransaction) throws {
        let (serial, celsius, note) = ("A-" + id, sensor.celsius, sensor.note)
        switch self {
        case .first: try tx.upsert(Sensor(id: id, room: "r", serial: serial, celsius: celsius, note: note))
        case .wider:
            try tx.upsert(
                WiderSensor(id: id, room: "r", serial: serial, celsius: celsius, note: note, level: sensor.level))
        case .widest:
            try tx.upsert(
                WidestSensor(
                    id: id, room: "r", serial: serial, celsius: celsius, note: note, level: sensor.level,
                    tag: sensor.tag))
        }
    }

    /// Deletes a sensor as this version.
    func delete(id: String, _ tx: inout WriteTransaction) throws {
        switch self {
        case .first: try tx.delete(Sensor.self, id: id)
        case .wider: try tx.delete(WiderSensor.self, id: id)
        case .widest: try tx.delete(WidestSensor.self, id: id)
        }
    }

    /// Returns the changes in a change set as this version reads them.
    func changes(_ set: ChangeSet) throws -> [PlainChange] {
        switch self {
        case .first:
            try set.changes(of: Sensor.self).map {
                PlainChange(id: $0.id, before: $0.before.map(Self.plain), after: $0.after.map(Self.plain))
            }
        case .wider:
            try set.changes(of: WiderSensor.self).map {
                PlainChange(id: $0.id, before: $0.before.map(Self.plain), after: $0.after.map(Self.plain))
            }
        case .widest:
            try set.changes(of: WidestSensor.self).map {
                PlainChange(id: $0.id, before: $0.before.map(Self.plain), after: $0.after.map(Self.plain))
            }
        }
    }

    private static func plain(_ sensor: Sensor) -> PlainSensor {
        PlainSensor(celsius: sensor.celsius, note: sensor.note)
    }

    private static func plain(_ sensor: WiderSensor) -> PlainSensor {
        PlainSensor(celsius: sensor.celsius, note: sensor.note, level: sensor.level)
    }

    private static func plain(_ sensor: WidestSensor) -> PlainSensor {
        PlainSensor(celsius: sensor.celsius, note: sensor.note, level: sensor.level, tag: sensor.tag)
    }
}
