import Testing

@Suite struct EmbeddedExpansionTests {
    @Test func `an embedded value gets tokens, schema and codec`() {
        expectExpansion(
            of: """
                @Embedded
                struct Place {
                    var floor: Int = 0
                    @Renamed(from: "name") var room: String
                    @Transient var isKnown: Bool = false
                }
                """,
            """
            struct Place {
                var floor: Int = 0
                var room: String
                var isKnown: Bool = false
            }

            nonisolated extension Place: ModelStore.EmbeddedValue, Sendable, Equatable {
                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var floor: ModelStore.Field<Place, Int> {
                        ModelStore.Field(0, "floor", get: { $0.floor }, set: { $0.floor = $1 })
                    }

                    var room: ModelStore.Field<Place, String> {
                        ModelStore.Field(1, "room", get: { $0.room }, set: { $0.room = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Place has floor, room"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Place, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let embeddedSchema = ModelStore.EmbeddedSchema(
                    fields: [
                        ModelStore.FieldSchema("floor", Int.self, default: 0),
                        ModelStore.FieldSchema("room", String.self, renamedFrom: ["name"])
                    ]
                )

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.floor)
                    try encoder.encode(self.room)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self, or: 0)
                    let _1 = try decoder.decode(1, as: String.self)
                    self.floor = _0
                    self.room = _1
                }
            }
            """
        )
    }
}
