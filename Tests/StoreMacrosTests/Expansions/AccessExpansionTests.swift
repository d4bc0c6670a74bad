import Testing

@Suite struct AccessExpansionTests {
    @Test func `a public record is inlinable as far as its properties are public`() {
        expectExpansion(
            of: """
                @Record
                public struct Sensor {
                    @ID public let id: String
                    public var celsius: Double
                    public private(set) var readings: Int
                    var note: String?
                }
                """,
            """
            public struct Sensor {
                public let id: String
                public var celsius: Double
                public private(set) var readings: Int
                var note: String?
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                public typealias ID = String

                @dynamicMemberLookup
                public nonisolated struct Fields: Sendable {
                    @inlinable public init() {}

                    @inlinable public var id: ModelStore.Field<Sensor, String> {
                        ModelStore.Field(0, "id", get: { $0.id })
                    }

                    @inlinable public var celsius: ModelStore.Field<Sensor, Double> {
                        ModelStore.Field(1, "celsius", get: { $0.celsius }, set: { $0.celsius = $1 })
                    }

                    @inlinable public var readings: ModelStore.Field<Sensor, Int> {
                        ModelStore.Field(2, "readings", get: { $0.readings })
                    }

                    var note: ModelStore.Field<Sensor, String?> {
                        ModelStore.Field(3, "note", get: { $0.note }, set: { $0.note = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, celsius, readings, note"
                    )
                    public subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                @inlinable public static var fields: Fields { Fields() }

                public static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", String.self),
                        ModelStore.FieldSchema("celsius", Double.self),
                        ModelStore.FieldSchema("readings", Int.self),
                        ModelStore.FieldSchema("note", String?.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                @inlinable public var recordID: ID { self.id }

                public func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.celsius)
                    try encoder.encode(self.readings)
                    try encoder.encode(self.note)
                }

                public init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: String.self)
                    let _1 = try decoder.decode(1, as: Double.self)
                    let _2 = try decoder.decode(2, as: Int.self)
                    let _3 = try decoder.decode(3, as: String?.self, or: nil)
                    self.id = _0
                    self.celsius = _1
                    self.readings = _2
                    self.note = _3
                }

                @available(
                    *, unavailable,
                    message: "'Sensor' has no public initializer: declare one, as Swift's memberwise one is internal"
                )
                @_disfavoredOverload
                public init(
                    id: String,
                    celsius: Double,
                    readings: Int,
                    note: Any = (),
                    _: Never? = nil
                ) { self = ModelStore._noValue() }
            }
            """
        )
    }

    @Test func `a public record with public properties only has an inlinable codec`() {
        expectExpansion(
            of: """
                @Record
                public struct Sensor {
                    @ID public var id: Int
                    public var celsius: Double = -1
                }
                """,
            """
            public struct Sensor {
                public var id: Int
                public var celsius: Double = -1
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                public typealias ID = Int

                @dynamicMemberLookup
                public nonisolated struct Fields: Sendable {
                    @inlinable public init() {}

                    @inlinable public var id: ModelStore.Field<Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    @inlinable public var celsius: ModelStore.Field<Sensor, Double> {
                        ModelStore.Field(1, "celsius", get: { $0.celsius }, set: { $0.celsius = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, celsius"
                    )
                    public subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                @inlinable public static var fields: Fields { Fields() }

                public static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        ModelStore.FieldSchema("celsius", Double.self, default: -1)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                @inlinable public var recordID: ID { self.id }

                @inlinable
                public func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.celsius)
                }

                @inlinable
                public init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    let _1 = try decoder.decode(1, as: Double.self, or: -1)
                    self.id = _0
                    self.celsius = _1
                }

                @available(
                    *, unavailable,
                    message: "'Sensor' has no public initializer: declare one, as Swift's memberwise one is internal"
                )
                @_disfavoredOverload
                public init(
                    id: Int,
                    celsius: Double = ModelStore._noValue(),
                    _: Never? = nil
                ) { self = ModelStore._noValue() }
            }
            """
        )
    }

    @Test func `a record inside an extension of unknown access is public but not inlinable`() {
        expectExpansion(
            of: """
                extension House {
                    @Record
                    public struct Sensor {
                        @ID public var id: Int
                    }
                }
                """,
            """
            extension House {
                public struct Sensor {
                    public var id: Int
                }
            }

            nonisolated extension House.Sensor: ModelStore.Record, Sendable, Equatable {
                public typealias ID = Int

                @dynamicMemberLookup
                public nonisolated struct Fields: Sendable {
                    public init() {}

                    public var id: ModelStore.Field<House.Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: House.Sensor has id"
                    )
                    public subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<House.Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                public static var fields: Fields { Fields() }

                public static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                public var recordID: ID { self.id }

                public func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                }

                public init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    self.id = _0
                }
            }
            """
        )
    }

    @Test func `a public record with an initializer of its own gets none to hint at it`() {
        expectExpansion(
            of: """
                @Embedded
                public struct Place {
                    public var floor: Int
                    public init() { floor = 0 }
                }
                """,
            """
            public struct Place {
                public var floor: Int
                public init() { floor = 0 }
            }

            nonisolated extension Place: ModelStore.EmbeddedValue, Sendable, Equatable {
                @dynamicMemberLookup
                public nonisolated struct Fields: Sendable {
                    @inlinable public init() {}

                    @inlinable public var floor: ModelStore.Field<Place, Int> {
                        ModelStore.Field(0, "floor", get: { $0.floor }, set: { $0.floor = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Place has floor"
                    )
                    public subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Place, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                @inlinable public static var fields: Fields { Fields() }

                public static let embeddedSchema = ModelStore.EmbeddedSchema(
                    fields: [
                        ModelStore.FieldSchema("floor", Int.self)
                    ]
                )

                @inlinable
                public func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.floor)
                }

                @inlinable
                public init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    self.floor = _0
                }
            }
            """
        )
    }

    @Test func `the hint at an initializer names nothing that is out of reach`() {
        expectExpansion(
            of: """
                @Embedded
                public struct Place {
                    public var floor: Int
                    public var state: State? = .idle
                    public let side: Side?
                    var secret: Secret
                    @Transient public let version: Int = 1
                    @Transient public var cache = 3
                }
                """,
            """
            public struct Place {
                public var floor: Int
                public var state: State? = .idle
                public let side: Side?
                var secret: Secret
                public let version: Int = 1
                public var cache = 3
            }

            nonisolated extension Place: ModelStore.EmbeddedValue, Sendable, Equatable {
                @dynamicMemberLookup
                public nonisolated struct Fields: Sendable {
                    @inlinable public init() {}

                    @inlinable public var floor: ModelStore.Field<Place, Int> {
                        ModelStore.Field(0, "floor", get: { $0.floor }, set: { $0.floor = $1 })
                    }

                    #sourceLocation(file: "test.swift", line: 4)
                    @inlinable public var state: ModelStore.Field<Place, State?> { ModelStore.Field(1, "state", get: { $0.state }, set: { $0.state = $1 }) }
                    #sourceLocation()

                    #sourceLocation(file: "test.swift", line: 5)
                    @inlinable public var side: ModelStore.Field<Place, Side?> { ModelStore.Field(2, "side", get: { $0.side }) }
                    #sourceLocation()

                    #sourceLocation(file: "test.swift", line: 6)
                    var secret: ModelStore.Field<Place, Secret> { ModelStore.Field(3, "secret", get: { $0.secret }, set: { $0.secret = $1 }) }
                    #sourceLocation()

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Place has floor, state, side, secret"
                    )
                    public subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Place, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                @inlinable public static var fields: Fields { Fields() }

                public static let embeddedSchema = ModelStore.EmbeddedSchema(
                    fields: [
                        ModelStore.FieldSchema("floor", Int.self),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 4)
                            return ModelStore.FieldSchema("state", State?.self, default: .idle)
                            #sourceLocation()
                        }(),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 5)
                            return ModelStore.FieldSchema("side", Side?.self)
                            #sourceLocation()
                        }(),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 6)
                            return ModelStore.FieldSchema("secret", Secret.self)
                            #sourceLocation()
                        }()
                    ]
                )

                public func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.floor)
                    try encoder.encode(self.state)
                    try encoder.encode(self.side)
                    try encoder.encode(self.secret)
                }

                public init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    #sourceLocation(file: "test.swift", line: 4)
                    let _1 = try decoder.decode(1, as: State?.self, or: .idle)
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 5)
                    let _2 = try decoder.decode(2, as: Side?.self, or: nil)
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 6)
                    let _3 = try decoder.decode(3, as: Secret.self)
                    #sourceLocation()
                    self.floor = _0
                    self.state = _1
                    self.side = _2
                    self.secret = _3
                }

                public static func == (left: Place, right: Place) -> Bool {
                    guard left.floor == right.floor else { return false }
                    #sourceLocation(file: "test.swift", line: 4)
                    guard ModelStore._isSame(left.state, right.state) else { return false }
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 5)
                    guard ModelStore._isSame(left.side, right.side) else { return false }
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 6)
                    guard ModelStore._isSame(left.secret, right.secret) else { return false }
                    #sourceLocation()
                    guard left.version == right.version else { return false }
                    guard left.cache == right.cache else { return false }
                    return true
                }

                @available(
                    *, unavailable,
                    message: "'Place' has no public initializer: declare one, as Swift's memberwise one is internal"
                )
                @_disfavoredOverload
                public init(
                    floor: Int,
                    state: State? = ModelStore._noValue(),
                    side: Side?,
                    secret: Any,
                    cache: Int = ModelStore._noValue(),
                    _: Never? = nil
                ) { self = ModelStore._noValue() }
            }
            """
        )
    }

    @Test func `package and private records keep their access`() {
        expectExpansion(
            of: """
                @Record
                package struct Room {
                    @ID package var id: Int
                }
                @Record
                private struct Note {
                    @ID var id: Int
                }
                """,
            """
            package struct Room {
                package var id: Int
            }
            private struct Note {
                var id: Int
            }

            nonisolated extension Room: ModelStore.Record, Sendable, Equatable {
                package typealias ID = Int

                @dynamicMemberLookup
                package nonisolated struct Fields: Sendable {
                    @inlinable package init() {}

                    @inlinable package var id: ModelStore.Field<Room, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Room has id"
                    )
                    package subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Room, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                @inlinable package static var fields: Fields { Fields() }

                package static let recordSchema = ModelStore.RecordSchema(
                    name: "Room",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                @inlinable package var recordID: ID { self.id }

                @inlinable
                package func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                }

                @inlinable
                package init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    self.id = _0
                }

                @available(
                    *, unavailable,
                    message: "'Room' has no package initializer: declare one, as Swift's memberwise one is internal"
                )
                @_disfavoredOverload
                package init(
                    id: Int,
                    _: Never? = nil
                ) { self = ModelStore._noValue() }
            }

            nonisolated extension Note: ModelStore.Record, Sendable, Equatable {
                fileprivate typealias ID = Int

                @dynamicMemberLookup
                fileprivate nonisolated struct Fields: Sendable {
                    fileprivate init() {}

                    fileprivate var id: ModelStore.Field<Note, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Note has id"
                    )
                    fileprivate subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Note, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                fileprivate static var fields: Fields { Fields() }

                fileprivate static let recordSchema = ModelStore.RecordSchema(
                    name: "Note",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                fileprivate var recordID: ID { self.id }

                fileprivate func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                }

                fileprivate init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    self.id = _0
                }
            }
            """
        )
    }

    @Test func `a record inside a private type reaches no further than the file`() {
        expectExpansion(
            of: """
                private enum House {
                    @Record
                    public struct Sensor {
                        @ID public var id: Int
                    }
                }
                """,
            """
            private enum House {
                public struct Sensor {
                    public var id: Int
                }
            }

            nonisolated extension House.Sensor: ModelStore.Record, Sendable, Equatable {
                fileprivate typealias ID = Int

                @dynamicMemberLookup
                fileprivate nonisolated struct Fields: Sendable {
                    fileprivate init() {}

                    fileprivate var id: ModelStore.Field<House.Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: House.Sensor has id"
                    )
                    fileprivate subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<House.Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                fileprivate static var fields: Fields { Fields() }

                fileprivate static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                fileprivate var recordID: ID { self.id }

                fileprivate func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                }

                fileprivate init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    self.id = _0
                }
            }
            """
        )
    }
}
