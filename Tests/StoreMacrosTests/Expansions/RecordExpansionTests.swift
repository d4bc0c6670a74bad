import Testing

@Suite struct RecordExpansionTests {
    @Test func `the compiler judges what the spelling of an indexed type does not tell`() {
        expectExpansion(
            of: """
                @Record
                @Index("mode", "bytes")
                struct Sensor {
                    @ID var id: Serial
                    @Indexed var room: Room? = .attic
                    @Unique var place: Swift.String?
                    var bytes: [UInt8]
                    var mode: Mode
                    var plain: Mode
                }
                """,
            """
            struct Sensor {
                var id: Serial
                var room: Room? = .attic
                var place: Swift.String?
                var bytes: [UInt8]
                var mode: Mode
                var plain: Mode
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                typealias ID = Serial

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    #sourceLocation(file: "test.swift", line: 4)
                    var id: ModelStore.Field<Sensor, Serial> { ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 }) }
                    #sourceLocation()

                    #sourceLocation(file: "test.swift", line: 5)
                    var room: ModelStore.Field<Sensor, Room?> { ModelStore.Field(1, "room", get: { $0.room }, set: { $0.room = $1 }) }
                    #sourceLocation()

                    var place: ModelStore.Field<Sensor, Swift.String?> {
                        ModelStore.Field(2, "place", get: { $0.place }, set: { $0.place = $1 })
                    }

                    var bytes: ModelStore.Field<Sensor, [UInt8]> {
                        ModelStore.Field(3, "bytes", get: { $0.bytes }, set: { $0.bytes = $1 })
                    }

                    #sourceLocation(file: "test.swift", line: 8)
                    var mode: ModelStore.Field<Sensor, Mode> { ModelStore.Field(4, "mode", get: { $0.mode }, set: { $0.mode = $1 }) }
                    #sourceLocation()

                    #sourceLocation(file: "test.swift", line: 9)
                    var plain: ModelStore.Field<Sensor, Mode> { ModelStore.Field(5, "plain", get: { $0.plain }, set: { $0.plain = $1 }) }
                    #sourceLocation()

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, room, place, bytes, mode, plain"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                nonisolated struct UniqueFields: Sendable {
                    init() {}

                    var place: ModelStore.Field<Sensor, Swift.String?> {
                        ModelStore.Field(2, "place", get: { $0.place }, set: { $0.place = $1 })
                    }
                }

                static var uniqueFields: UniqueFields { UniqueFields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 4)
                            return ModelStore.FieldSchema("id", Serial.self)
                            #sourceLocation()
                        }(),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 5)
                            return ModelStore.FieldSchema("room", ModelStore._indexable(Room?.self), default: .attic)
                            #sourceLocation()
                        }(),
                        ModelStore.FieldSchema("place", Swift.String?.self),
                        ModelStore.FieldSchema("bytes", ModelStore._indexable([UInt8].self)),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 8)
                            return ModelStore.FieldSchema("mode", ModelStore._indexable(Mode.self))
                            #sourceLocation()
                        }(),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 9)
                            return ModelStore.FieldSchema("plain", Mode.self)
                            #sourceLocation()
                        }()
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: [
                        ModelStore.IndexSchema([1]),
                        ModelStore.IndexSchema([2], isUnique: true),
                        ModelStore.IndexSchema([4, 3])
                    ]
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.room)
                    try encoder.encode(self.place)
                    try encoder.encode(self.bytes)
                    try encoder.encode(self.mode)
                    try encoder.encode(self.plain)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    #sourceLocation(file: "test.swift", line: 4)
                    let _0 = try decoder.decode(0, as: Serial.self)
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 5)
                    let _1 = try decoder.decode(1, as: Room?.self, or: .attic)
                    #sourceLocation()
                    let _2 = try decoder.decode(2, as: Swift.String?.self, or: nil)
                    let _3 = try decoder.decode(3, as: [UInt8].self)
                    #sourceLocation(file: "test.swift", line: 8)
                    let _4 = try decoder.decode(4, as: Mode.self)
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 9)
                    let _5 = try decoder.decode(5, as: Mode.self)
                    #sourceLocation()
                    self.id = _0
                    self.room = _1
                    self.place = _2
                    self.bytes = _3
                    self.mode = _4
                    self.plain = _5
                }

                static func == (left: Sensor, right: Sensor) -> Bool {
                    #sourceLocation(file: "test.swift", line: 4)
                    guard ModelStore._isSame(left.id, right.id) else { return false }
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 5)
                    guard ModelStore._isSame(left.room, right.room) else { return false }
                    #sourceLocation()
                    guard left.place == right.place else { return false }
                    guard left.bytes == right.bytes else { return false }
                    #sourceLocation(file: "test.swift", line: 8)
                    guard ModelStore._isSame(left.mode, right.mode) else { return false }
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 9)
                    guard ModelStore._isSame(left.plain, right.plain) else { return false }
                    #sourceLocation()
                    return true
                }
            }
            """
        )
    }

    @Test func `a record gets its id, tokens, schema and codec`() {
        expectExpansion(
            of: """
                @Record
                struct Sensor {
                    @ID var id: String
                    @Indexed var room: String
                    @Unique var serial: String
                    var celsius: Double = 0
                    var note: String?
                }
                """,
            """
            struct Sensor {
                var id: String
                var room: String
                var serial: String
                var celsius: Double = 0
                var note: String?
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                typealias ID = String

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<Sensor, String> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    var room: ModelStore.Field<Sensor, String> {
                        ModelStore.Field(1, "room", get: { $0.room }, set: { $0.room = $1 })
                    }

                    var serial: ModelStore.Field<Sensor, String> {
                        ModelStore.Field(2, "serial", get: { $0.serial }, set: { $0.serial = $1 })
                    }

                    var celsius: ModelStore.Field<Sensor, Double> {
                        ModelStore.Field(3, "celsius", get: { $0.celsius }, set: { $0.celsius = $1 })
                    }

                    var note: ModelStore.Field<Sensor, String?> {
                        ModelStore.Field(4, "note", get: { $0.note }, set: { $0.note = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, room, serial, celsius, note"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                nonisolated struct UniqueFields: Sendable {
                    init() {}

                    var serial: ModelStore.Field<Sensor, String> {
                        ModelStore.Field(2, "serial", get: { $0.serial }, set: { $0.serial = $1 })
                    }
                }

                static var uniqueFields: UniqueFields { UniqueFields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", String.self),
                        ModelStore.FieldSchema("room", String.self),
                        ModelStore.FieldSchema("serial", String.self),
                        ModelStore.FieldSchema("celsius", Double.self, default: 0),
                        ModelStore.FieldSchema("note", String?.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: [
                        ModelStore.IndexSchema([1]),
                        ModelStore.IndexSchema([2], isUnique: true)
                    ]
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.room)
                    try encoder.encode(self.serial)
                    try encoder.encode(self.celsius)
                    try encoder.encode(self.note)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: String.self)
                    let _1 = try decoder.decode(1, as: String.self)
                    let _2 = try decoder.decode(2, as: String.self)
                    let _3 = try decoder.decode(3, as: Double.self, or: 0)
                    let _4 = try decoder.decode(4, as: String?.self, or: nil)
                    self.id = _0
                    self.room = _1
                    self.serial = _2
                    self.celsius = _3
                    self.note = _4
                }
            }
            """
        )
    }

    @Test func `a nested record refers to itself by its whole name and keeps names with backticks`() {
        expectExpansion(
            of: """
                enum House {
                    @Record("house.sensors")
                    struct Sensor {
                        @ID let id: Int
                        @Renamed(from: "standard", "normal") var `default`: Double
                        var siblings: [Self.ID]
                    }
                }
                """,
            """
            enum House {
                struct Sensor {
                    let id: Int
                    var `default`: Double
                    var siblings: [Self.ID]
                }
            }

            nonisolated extension House.Sensor: ModelStore.Record, Sendable, Equatable {
                typealias ID = Int

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<House.Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id })
                    }

                    var `default`: ModelStore.Field<House.Sensor, Double> {
                        ModelStore.Field(1, "default", get: { $0.`default` }, set: { $0.`default` = $1 })
                    }

                    var siblings: ModelStore.Field<House.Sensor, [House.Sensor.ID]> {
                        ModelStore.Field(2, "siblings", get: { $0.siblings }, set: { $0.siblings = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: House.Sensor has id, `default`, siblings"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<House.Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static var _recordName: String { "house.sensors" }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "house.sensors",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        ModelStore.FieldSchema("default", Double.self, renamedFrom: ["standard", "normal"]),
                        ModelStore.FieldSchema("siblings", [House.Sensor.ID].self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.`default`)
                    try encoder.encode(self.siblings)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    let _1 = try decoder.decode(1, as: Double.self)
                    let _2 = try decoder.decode(2, as: [House.Sensor.ID].self)
                    self.id = _0
                    self.`default` = _1
                    self.siblings = _2
                }
            }
            """
        )
    }

    @Test func `a nested record has another name for what may be declared around it`() {
        expectExpansion(
            of: """
                enum House {
                    @Record
                    struct Sensor {
                        @ID let id: Int
                        var kind: Kind? = Kind.warm
                        @Transient var seen: Kind = .warm
                        private var rooms: [Reference<Room>] = []
                    }
                }
                """,
            """
            enum House {
                struct Sensor {
                    let id: Int
                    var kind: Kind? = Kind.warm
                    var seen: Kind = .warm
                    private var rooms: [Reference<Room>] = []

                    nonisolated enum _Scope {
                        typealias Type1 = Kind?
                        static var initial1: Kind? { Kind.warm }
                        fileprivate typealias Type2 = [Reference<Room>]
                    }
                }
            }

            nonisolated extension House.Sensor: ModelStore.Record, Sendable, Equatable {
                typealias ID = Int

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<House.Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id })
                    }

                    #sourceLocation(file: "test.swift", line: 5)
                    var kind: ModelStore.Field<House.Sensor, _Scope.Type1> { ModelStore.Field(1, "kind", get: { $0.kind }, set: { $0.kind = $1 }) }
                    #sourceLocation()

                    fileprivate var rooms: ModelStore.Field<House.Sensor, _Scope.Type2> {
                        ModelStore.Field(2, "rooms", get: { $0.rooms }, set: { $0.rooms = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: House.Sensor has id, kind, rooms"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<House.Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 5)
                            return ModelStore.FieldSchema("kind", _Scope.Type1.self, default: _Scope.initial1)
                            #sourceLocation()
                        }(),
                        ModelStore.FieldSchema("rooms", _Scope.Type2.self, default: [])
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.kind)
                    try encoder.encode(self.rooms)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    #sourceLocation(file: "test.swift", line: 5)
                    let _1 = try decoder.decode(1, as: _Scope.Type1.self, or: _Scope.initial1)
                    #sourceLocation()
                    let _2 = try decoder.decode(2, as: _Scope.Type2.self, or: [])
                    self.id = _0
                    self.kind = _1
                    self.rooms = _2
                }

                static func == (left: House.Sensor, right: House.Sensor) -> Bool {
                    guard left.id == right.id else { return false }
                    #sourceLocation(file: "test.swift", line: 5)
                    guard ModelStore._isSame(left.kind, right.kind) else { return false }
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 6)
                    guard ModelStore._isSame(left.seen, right.seen) else { return false }
                    #sourceLocation()
                    guard left.rooms == right.rooms else { return false }
                    return true
                }
            }
            """
        )
    }

    @Test func `what is not stored is left out`() {
        expectExpansion(
            of: """
                @Record
                struct Sensor {
                    static let limit = 3
                    @ID var id: Int
                    @Transient var cache: [Int] = []
                    var twice: Int { id * 2 }
                    var watched: Int { didSet { print(watched) } }
                    var low, high: Double
                }
                """,
            """
            struct Sensor {
                static let limit = 3
                var id: Int
                var cache: [Int] = []
                var twice: Int { id * 2 }
                var watched: Int { didSet { print(watched) } }
                var low, high: Double
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                typealias ID = Int

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    var watched: ModelStore.Field<Sensor, Int> {
                        ModelStore.Field(1, "watched", get: { $0.watched }, set: { $0.watched = $1 })
                    }

                    var low: ModelStore.Field<Sensor, Double> {
                        ModelStore.Field(2, "low", get: { $0.low }, set: { $0.low = $1 })
                    }

                    var high: ModelStore.Field<Sensor, Double> {
                        ModelStore.Field(3, "high", get: { $0.high }, set: { $0.high = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, watched, low, high"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        ModelStore.FieldSchema("watched", Int.self),
                        ModelStore.FieldSchema("low", Double.self),
                        ModelStore.FieldSchema("high", Double.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.watched)
                    try encoder.encode(self.low)
                    try encoder.encode(self.high)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    let _1 = try decoder.decode(1, as: Int.self)
                    let _2 = try decoder.decode(2, as: Double.self)
                    let _3 = try decoder.decode(3, as: Double.self)
                    self.id = _0
                    self.watched = _1
                    self.low = _2
                    self.high = _3
                }
            }
            """
        )
    }

    @Test func `compound indexes name fields by number`() {
        expectExpansion(
            of: """
                @Record
                @Index("room", "celsius")
                @UniqueIndex("serial", "room")
                struct Sensor {
                    @ID var id: Int
                    var room: String
                    @Indexed var serial: String
                    var celsius: Double
                }
                """,
            """
            struct Sensor {
                var id: Int
                var room: String
                var serial: String
                var celsius: Double
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                typealias ID = Int

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    var room: ModelStore.Field<Sensor, String> {
                        ModelStore.Field(1, "room", get: { $0.room }, set: { $0.room = $1 })
                    }

                    var serial: ModelStore.Field<Sensor, String> {
                        ModelStore.Field(2, "serial", get: { $0.serial }, set: { $0.serial = $1 })
                    }

                    var celsius: ModelStore.Field<Sensor, Double> {
                        ModelStore.Field(3, "celsius", get: { $0.celsius }, set: { $0.celsius = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, room, serial, celsius"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        ModelStore.FieldSchema("room", String.self),
                        ModelStore.FieldSchema("serial", String.self),
                        ModelStore.FieldSchema("celsius", Double.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: [
                        ModelStore.IndexSchema([2]),
                        ModelStore.IndexSchema([1, 3]),
                        ModelStore.IndexSchema([2, 1], isUnique: true)
                    ]
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.room)
                    try encoder.encode(self.serial)
                    try encoder.encode(self.celsius)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    let _1 = try decoder.decode(1, as: String.self)
                    let _2 = try decoder.decode(2, as: String.self)
                    let _3 = try decoder.decode(3, as: Double.self)
                    self.id = _0
                    self.room = _1
                    self.serial = _2
                    self.celsius = _3
                }
            }
            """
        )
    }
}
