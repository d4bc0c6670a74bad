import StoreEngine

/// The floor on which a sensor hangs: an enum with known cases.
enum Floor: String, IndexableValue, CaseIterable {
    case ground, first, attic
}

/// A record with a string id, an index, a unique index, and an index over two fields. It spells out the code that `@Record`
/// generates.
struct Sensor: Record, Hashable {
    var id: String
    var room: String
    var serial: String
    var celsius: Double = 0
    var note: String?
    var floor: Floor = .ground

    struct Fields: Sendable {
        let id = Field<Sensor, String>(0, "id", get: { $0.id }, set: { $0.id = $1 })
        let room = Field<Sensor, String>(1, "room", get: { $0.room }, set: { $0.room = $1 })
        let serial = Field<Sensor, String>(2, "serial", get: { $0.serial }, set: { $0.serial = $1 })
        let celsius = Field<Sensor, Double>(3, "celsius", get: { $0.celsius }, set: { $0.celsius = $1 })
        let note = Field<Sensor, String?>(4, "note", get: { $0.note }, set: { $0.note = $1 })
        let floor = Field<Sensor, Floor>(5, "floor", get: { $0.floor }, set: { $0.floor = $1 })
    }

    struct UniqueFields: Sendable {
        let serial = Field<Sensor, String>(2, "serial", get: { $0.serial }, set: { $0.serial = $1 })
    }

    static let fields = Fields()
    static let uniqueFields = UniqueFields()

    static let recordSchema = RecordSchema(
        name: "Sensor",
        fields: [
            FieldSchema("id", String.self), FieldSchema("room", String.self), FieldSchema("serial", String.self),
            FieldSchema("celsius", Double.self, default: 0), FieldSchema("note", String?.self),
            FieldSchema("floor", Floor.self, default: .ground),
        ],
        id: IDSchema([0]),
        indexes: [IndexSchema([1]), IndexSchema([2], isUnique: true), IndexSchema([5, 3])])

    var recordID: String { id }

    init(id: String, room: String, serial: String, celsius: Double = 0, note: String? = nil, floor: Floor = .ground) {
        self.id = id
        self.room = room
        self.serial = serial
        self.celsius = celsius
        self.note = note
        self.floor = floor
    }

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(id)
        try encoder.encode(room)
        try encoder.encode(serial)
        try encoder.encode(celsius)
        try encoder.encode(note)
        try encoder.encode(floor)
    }

    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        id = try decoder.decode(0)
        room = try decoder.decode(1)
        serial = try decoder.decode(2)
        celsius = try decoder.decode(3)
        note = try decoder.decode(4)
        floor = try decoder.decode(5)
    }
}
