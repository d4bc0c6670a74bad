import StoreEngine

/// A record with a two-field id and indexes over optional fields. It spells out the code that `@Record` generates.
struct Slot: Record, Hashable {
    var room: String
    var hour: Int16
    var guest: String?
    var minutes: UInt8?

    struct ID: EmbeddedValue, IndexableValue {
        var room: String
        var hour: Int16

        struct Fields: Sendable {}

        static let fields = Fields()
        static let embeddedSchema = EmbeddedSchema(
            fields: [FieldSchema("room", String.self), FieldSchema("hour", Int16.self)])

        init(room: String, hour: Int16) {
            self.room = room
            self.hour = hour
        }

        func encode(to encoder: inout FieldEncoder) throws(CodecError) {
            try encoder.encode(room)
            try encoder.encode(hour)
        }

        init(from decoder: borrowing FieldDecoder) throws(CodecError) {
            room = try decoder.decode(0)
            hour = try decoder.decode(1)
        }

        func encodeKey(to writer: inout ByteWriter) {
            room.encodeKey(to: &writer)
            hour.encodeKey(to: &writer)
        }
    }

    struct Fields: Sendable {
        let guest = Field<Slot, String?>(2, "guest", get: { $0.guest }, set: { $0.guest = $1 })
    }

    static let fields = Fields()

    static let recordSchema = RecordSchema(
        name: "Slot",
        fields: [
            FieldSchema("room", String.self), FieldSchema("hour", Int16.self), FieldSchema("guest", String?.self),
            FieldSchema("minutes", UInt8?.self),
        ],
        id: IDSchema([0, 1]),
        indexes: [IndexSchema([2]), IndexSchema([2, 3], isUnique: true)])

    var recordID: ID { ID(room: room, hour: hour) }

    init(room: String, hour: Int16, guest: String? = nil, minutes: UInt8? = nil) {
        self.room = room
        self.hour = hour
        self.guest = guest
        self.minutes = minutes
    }

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(room)
        try encoder.encode(hour)
        try encoder.encode(guest)
        try encoder.encode(minutes)
    }

    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        room = try decoder.decode(0)
        hour = try decoder.decode(1)
        guest = try decoder.decode(2)
        minutes = try decoder.decode(3)
    }
}
