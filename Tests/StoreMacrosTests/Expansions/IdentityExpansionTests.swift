import Testing

@Suite struct IdentityExpansionTests {
    @Test func `several ids make a nested type of them`() {
        expectExpansion(
            of: """
                @Record
                struct Slot {
                    @ID let room: String
                    @ID var hour: Int
                    var isBooked: Bool = false
                }
                """,
            """
            struct Slot {
                let room: String
                var hour: Int
                var isBooked: Bool = false
            }

            nonisolated extension Slot: ModelStore.Record, Sendable, Equatable {
                nonisolated struct ID: ModelStore.EmbeddedValue, ModelStore.IndexableValue {
                    var room: String
                    var hour: Int

                    init(room: String, hour: Int) {
                        self.room = room
                        self.hour = hour
                    }

                    @dynamicMemberLookup
                    nonisolated struct Fields: Sendable {
                        init() {}

                        var room: ModelStore.Field<Slot.ID, String> {
                            ModelStore.Field(0, "room", get: { $0.room }, set: { $0.room = $1 })
                        }

                        var hour: ModelStore.Field<Slot.ID, Int> {
                            ModelStore.Field(1, "hour", get: { $0.hour }, set: { $0.hour = $1 })
                        }

                        @available(
                            *, unavailable,
                            message: "there is no field with this name: Slot.ID has room, hour"
                        )
                        subscript(
                            dynamicMember name: ModelStore._NoFieldOfThisName
                        ) -> ModelStore.Field<Slot.ID, ModelStore._NoSuchValue> { fatalError("unavailable") }
                    }

                    static var fields: Fields { Fields() }

                    static let embeddedSchema = ModelStore.EmbeddedSchema(
                        fields: [
                            ModelStore.FieldSchema("room", String.self),
                            ModelStore.FieldSchema("hour", Int.self)
                        ]
                    )

                    func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                        try encoder.encode(self.room)
                        try encoder.encode(self.hour)
                    }

                    init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                        let _0 = try decoder.decode(0, as: String.self)
                        let _1 = try decoder.decode(1, as: Int.self)
                        self.room = _0
                        self.hour = _1
                    }

                    func encodeKey(to writer: inout ModelStore.ByteWriter) {
                        writer._append(key: self.room)
                        writer._append(key: self.hour)
                    }
                }

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var room: ModelStore.Field<Slot, String> {
                        ModelStore.Field(0, "room", get: { $0.room })
                    }

                    var hour: ModelStore.Field<Slot, Int> {
                        ModelStore.Field(1, "hour", get: { $0.hour }, set: { $0.hour = $1 })
                    }

                    var isBooked: ModelStore.Field<Slot, Bool> {
                        ModelStore.Field(2, "isBooked", get: { $0.isBooked }, set: { $0.isBooked = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Slot has room, hour, isBooked"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Slot, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Slot",
                    fields: [
                        ModelStore.FieldSchema("room", String.self),
                        ModelStore.FieldSchema("hour", Int.self),
                        ModelStore.FieldSchema("isBooked", Bool.self, default: false)
                    ],
                    id: ModelStore.IDSchema([0, 1]),
                    indexes: []
                )

                var recordID: ID { ID(room: self.room, hour: self.hour) }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.room)
                    try encoder.encode(self.hour)
                    try encoder.encode(self.isBooked)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: String.self)
                    let _1 = try decoder.decode(1, as: Int.self)
                    let _2 = try decoder.decode(2, as: Bool.self, or: false)
                    self.room = _0
                    self.hour = _1
                    self.isBooked = _2
                }
            }
            """
        )
    }

    @Test func `a composite id of a public record is public`() {
        expectExpansion(
            of: """
                @Record
                public struct Slot {
                    @ID public var room: String
                    @ID public var hour: Int
                }
                """,
            """
            public struct Slot {
                public var room: String
                public var hour: Int
            }

            nonisolated extension Slot: ModelStore.Record, Sendable, Equatable {
                public nonisolated struct ID: ModelStore.EmbeddedValue, ModelStore.IndexableValue {
                    public var room: String
                    public var hour: Int

                    @inlinable public init(room: String, hour: Int) {
                        self.room = room
                        self.hour = hour
                    }

                    @dynamicMemberLookup
                    public nonisolated struct Fields: Sendable {
                        @inlinable public init() {}

                        @inlinable public var room: ModelStore.Field<Slot.ID, String> {
                            ModelStore.Field(0, "room", get: { $0.room }, set: { $0.room = $1 })
                        }

                        @inlinable public var hour: ModelStore.Field<Slot.ID, Int> {
                            ModelStore.Field(1, "hour", get: { $0.hour }, set: { $0.hour = $1 })
                        }

                        @available(
                            *, unavailable,
                            message: "there is no field with this name: Slot.ID has room, hour"
                        )
                        public subscript(
                            dynamicMember name: ModelStore._NoFieldOfThisName
                        ) -> ModelStore.Field<Slot.ID, ModelStore._NoSuchValue> { fatalError("unavailable") }
                    }

                    @inlinable public static var fields: Fields { Fields() }

                    public static let embeddedSchema = ModelStore.EmbeddedSchema(
                        fields: [
                            ModelStore.FieldSchema("room", String.self),
                            ModelStore.FieldSchema("hour", Int.self)
                        ]
                    )

                    @inlinable
                    public func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                        try encoder.encode(self.room)
                        try encoder.encode(self.hour)
                    }

                    @inlinable
                    public init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                        let _0 = try decoder.decode(0, as: String.self)
                        let _1 = try decoder.decode(1, as: Int.self)
                        self.room = _0
                        self.hour = _1
                    }

                    @inlinable public func encodeKey(to writer: inout ModelStore.ByteWriter) {
                        writer._append(key: self.room)
                        writer._append(key: self.hour)
                    }
                }

                @dynamicMemberLookup
                public nonisolated struct Fields: Sendable {
                    @inlinable public init() {}

                    @inlinable public var room: ModelStore.Field<Slot, String> {
                        ModelStore.Field(0, "room", get: { $0.room }, set: { $0.room = $1 })
                    }

                    @inlinable public var hour: ModelStore.Field<Slot, Int> {
                        ModelStore.Field(1, "hour", get: { $0.hour }, set: { $0.hour = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Slot has room, hour"
                    )
                    public subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Slot, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                @inlinable public static var fields: Fields { Fields() }

                public static let recordSchema = ModelStore.RecordSchema(
                    name: "Slot",
                    fields: [
                        ModelStore.FieldSchema("room", String.self),
                        ModelStore.FieldSchema("hour", Int.self)
                    ],
                    id: ModelStore.IDSchema([0, 1]),
                    indexes: []
                )

                @inlinable public var recordID: ID { ID(room: self.room, hour: self.hour) }

                @inlinable
                public func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.room)
                    try encoder.encode(self.hour)
                }

                @inlinable
                public init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: String.self)
                    let _1 = try decoder.decode(1, as: Int.self)
                    self.room = _0
                    self.hour = _1
                }

                @available(
                    *, unavailable,
                    message: "'Slot' has no public initializer: declare one, as Swift's memberwise one is internal"
                )
                @_disfavoredOverload
                public init(
                    room: String,
                    hour: Int,
                    _: Never? = nil
                ) { self = ModelStore._noValue() }
            }
            """
        )
    }

    @Test func `an assigned id is told to the schema`() {
        expectExpansion(
            of: """
                @Record
                struct Entry {
                    @ID(.assigned) var id: Int = 0
                }
                """,
            """
            struct Entry {
                var id: Int = 0
            }

            nonisolated extension Entry: ModelStore.Record, Sendable, Equatable {
                typealias ID = Int

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<Entry, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Entry has id"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Entry, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Entry",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self)
                    ],
                    id: ModelStore.IDSchema([0], isAssigned: true),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    self.id = _0
                }
            }
            """
        )
    }

    @Test func `a record's own type of id is not declared again`() {
        expectExpansion(
            of: """
                @Record
                struct Entry {
                    struct ID: IndexableValue, RawRepresentable {
                        var rawValue: String
                    }
                    @ID let id: ID
                }
                """,
            """
            struct Entry {
                struct ID: IndexableValue, RawRepresentable {
                    var rawValue: String
                }
                let id: ID
            }

            nonisolated extension Entry: ModelStore.Record, Sendable, Equatable {
                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    #sourceLocation(file: "test.swift", line: 6)
                    var id: ModelStore.Field<Entry, ID> { ModelStore.Field(0, "id", get: { $0.id }) }
                    #sourceLocation()

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Entry has id"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Entry, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Entry",
                    fields: [
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 6)
                            return ModelStore.FieldSchema("id", ID.self)
                            #sourceLocation()
                        }()
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    #sourceLocation(file: "test.swift", line: 6)
                    let _0 = try decoder.decode(0, as: ID.self)
                    #sourceLocation()
                    self.id = _0
                }

                static func == (left: Entry, right: Entry) -> Bool {
                    #sourceLocation(file: "test.swift", line: 6)
                    guard ModelStore._isSame(left.id, right.id) else { return false }
                    #sourceLocation()
                    return true
                }
            }
            """
        )
    }
}
