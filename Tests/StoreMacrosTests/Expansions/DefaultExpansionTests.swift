import Testing

@Suite struct DefaultExpansionTests {
    @Test func `constant initial values are defaults, and others are computed`() {
        expectExpansion(
            of: """
                @Record
                struct Sensor {
                    @ID var id: UUID = .newID
                    var celsius: Double = -1.5
                    var tags: [String] = []
                    var limits: [String: Int] = ["low": -3]
                    var state: State = .active
                    var mode: Mode? = Mode.automatic
                    var pause: Duration = .seconds(5)
                    var seen: Date = .transactionTime
                    let note: String?
                    var other: Int? = nil
                }
                """,
            """
            struct Sensor {
                var id: UUID = .newID
                var celsius: Double = -1.5
                var tags: [String] = []
                var limits: [String: Int] = ["low": -3]
                var state: State = .active
                var mode: Mode? = Mode.automatic
                var pause: Duration = .seconds(5)
                var seen: Date = .transactionTime
                let note: String?
                var other: Int? = nil
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                typealias ID = UUID

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<Sensor, UUID> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    var celsius: ModelStore.Field<Sensor, Double> {
                        ModelStore.Field(1, "celsius", get: { $0.celsius }, set: { $0.celsius = $1 })
                    }

                    var tags: ModelStore.Field<Sensor, [String]> {
                        ModelStore.Field(2, "tags", get: { $0.tags }, set: { $0.tags = $1 })
                    }

                    var limits: ModelStore.Field<Sensor, [String: Int]> {
                        ModelStore.Field(3, "limits", get: { $0.limits }, set: { $0.limits = $1 })
                    }

                    #sourceLocation(file: "test.swift", line: 7)
                    var state: ModelStore.Field<Sensor, State> { ModelStore.Field(4, "state", get: { $0.state }, set: { $0.state = $1 }) }
                    #sourceLocation()

                    #sourceLocation(file: "test.swift", line: 8)
                    var mode: ModelStore.Field<Sensor, Mode?> { ModelStore.Field(5, "mode", get: { $0.mode }, set: { $0.mode = $1 }) }
                    #sourceLocation()

                    var pause: ModelStore.Field<Sensor, Duration> {
                        ModelStore.Field(6, "pause", get: { $0.pause }, set: { $0.pause = $1 })
                    }

                    var seen: ModelStore.Field<Sensor, Date> {
                        ModelStore.Field(7, "seen", get: { $0.seen }, set: { $0.seen = $1 })
                    }

                    var note: ModelStore.Field<Sensor, String?> {
                        ModelStore.Field(8, "note", get: { $0.note })
                    }

                    var other: ModelStore.Field<Sensor, Int?> {
                        ModelStore.Field(9, "other", get: { $0.other }, set: { $0.other = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, celsius, tags, limits, state, mode, pause, seen, note, other"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", UUID.self, token: .newID),
                        ModelStore.FieldSchema("celsius", Double.self, default: -1.5),
                        ModelStore.FieldSchema("tags", [String].self, default: []),
                        ModelStore.FieldSchema("limits", [String: Int].self, default: ["low": -3]),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 7)
                            return ModelStore.FieldSchema("state", State.self, default: .active)
                            #sourceLocation()
                        }(),
                        { () -> ModelStore.FieldSchema in
                            #sourceLocation(file: "test.swift", line: 8)
                            return ModelStore.FieldSchema("mode", Mode?.self, default: Mode.automatic)
                            #sourceLocation()
                        }(),
                        ModelStore._computed {
                            let _value: Duration = .seconds(5)
                            return ModelStore.FieldSchema("pause", Duration.self, default: _value)
                        },
                        ModelStore.FieldSchema("seen", Date.self, token: .now),
                        ModelStore.FieldSchema("note", String?.self),
                        ModelStore.FieldSchema("other", Int?.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.celsius)
                    try encoder.encode(self.tags)
                    try encoder.encode(self.limits)
                    try encoder.encode(self.state)
                    try encoder.encode(self.mode)
                    try encoder.encode(self.pause)
                    try encoder.encode(self.seen)
                    try encoder.encode(self.note)
                    try encoder.encode(self.other)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: UUID.self, or: .newID)
                    let _1 = try decoder.decode(1, as: Double.self, or: -1.5)
                    let _2 = try decoder.decode(2, as: [String].self, or: [])
                    let _3 = try decoder.decode(3, as: [String: Int].self, or: ["low": -3])
                    #sourceLocation(file: "test.swift", line: 7)
                    let _4 = try decoder.decode(4, as: State.self, or: .active)
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 8)
                    let _5 = try decoder.decode(5, as: Mode?.self, or: Mode.automatic)
                    #sourceLocation()
                    let _6 = try decoder.decode(6, as: Duration.self, or: .seconds(5))
                    let _7 = try decoder.decode(7, as: Date.self, or: .transactionTime)
                    let _8 = try decoder.decode(8, as: String?.self, or: nil)
                    let _9 = try decoder.decode(9, as: Int?.self, or: nil)
                    self.id = _0
                    self.celsius = _1
                    self.tags = _2
                    self.limits = _3
                    self.state = _4
                    self.mode = _5
                    self.pause = _6
                    self.seen = _7
                    self.note = _8
                    self.other = _9
                }

                static func == (left: Sensor, right: Sensor) -> Bool {
                    guard left.id == right.id else { return false }
                    guard left.celsius == right.celsius else { return false }
                    guard left.tags == right.tags else { return false }
                    guard left.limits == right.limits else { return false }
                    #sourceLocation(file: "test.swift", line: 7)
                    guard ModelStore._isSame(left.state, right.state) else { return false }
                    #sourceLocation()
                    #sourceLocation(file: "test.swift", line: 8)
                    guard ModelStore._isSame(left.mode, right.mode) else { return false }
                    #sourceLocation()
                    guard left.pause == right.pause else { return false }
                    guard left.seen == right.seen else { return false }
                    guard left.note == right.note else { return false }
                    guard left.other == right.other else { return false }
                    return true
                }
            }
            """
        )
    }

    @Test func `a default of now brings the memberwise initializer`() {
        expectExpansion(
            of: """
                @Record
                struct Reading {
                    @ID let id: Int
                    fileprivate var made: Date = .now
                    var changed: Date? = .now
                    var low, high: Int
                    var note: String?
                    @Transient let version = 3
                    @Transient var log: [String] = []
                }
                """,
            """
            struct Reading {
                let id: Int
                fileprivate var made: Date = .now
                var changed: Date? = .now
                var low, high: Int
                var note: String?
                let version = 3
                var log: [String] = []

                fileprivate init(
                    id: Int,
                    made: Date = .transactionTime,
                    changed: Date? = .transactionTime,
                    low: Int,
                    high: Int,
                    note: String? = nil,
                    log: [String] = []
                ) {
                    self.id = id
                    self.made = made
                    self.changed = changed
                    self.low = low
                    self.high = high
                    self.note = note
                    self.log = log
                }
            }

            nonisolated extension Reading: ModelStore.Record, Sendable, Equatable {
                typealias ID = Int

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<Reading, Int> {
                        ModelStore.Field(0, "id", get: { $0.id })
                    }

                    fileprivate var made: ModelStore.Field<Reading, Date> {
                        ModelStore.Field(1, "made", get: { $0.made }, set: { $0.made = $1 })
                    }

                    var changed: ModelStore.Field<Reading, Date?> {
                        ModelStore.Field(2, "changed", get: { $0.changed }, set: { $0.changed = $1 })
                    }

                    var low: ModelStore.Field<Reading, Int> {
                        ModelStore.Field(3, "low", get: { $0.low }, set: { $0.low = $1 })
                    }

                    var high: ModelStore.Field<Reading, Int> {
                        ModelStore.Field(4, "high", get: { $0.high }, set: { $0.high = $1 })
                    }

                    var note: ModelStore.Field<Reading, String?> {
                        ModelStore.Field(5, "note", get: { $0.note }, set: { $0.note = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Reading has id, made, changed, low, high, note"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Reading, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Reading",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        ModelStore.FieldSchema("made", Date.self, token: .now),
                        ModelStore.FieldSchema("changed", Date?.self, token: .now),
                        ModelStore.FieldSchema("low", Int.self),
                        ModelStore.FieldSchema("high", Int.self),
                        ModelStore.FieldSchema("note", String?.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.made)
                    try encoder.encode(self.changed)
                    try encoder.encode(self.low)
                    try encoder.encode(self.high)
                    try encoder.encode(self.note)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    let _1 = try decoder.decode(1, as: Date.self, or: .transactionTime)
                    let _2 = try decoder.decode(2, as: Date?.self, or: .transactionTime)
                    let _3 = try decoder.decode(3, as: Int.self)
                    let _4 = try decoder.decode(4, as: Int.self)
                    let _5 = try decoder.decode(5, as: String?.self, or: nil)
                    self.id = _0
                    self.made = _1
                    self.changed = _2
                    self.low = _3
                    self.high = _4
                    self.note = _5
                }
            }
            """
        )
    }
}
