import Testing

@Suite struct ReferenceExpansionTests {
    @Test func `the schema says what becomes of a record when one that it refers to is deleted`() {
        expectExpansion(
            of: """
                @Record
                struct Visit {
                    @ID var id: Int
                    @Reference var room: Reference<Room>
                    @Reference(onDelete: .cascade) let guest: Reference<Person>?
                }
                """,
            """
            struct Visit {
                var id: Int
                var room: Reference<Room>
                let guest: Reference<Person>?
            }

            nonisolated extension Visit: ModelStore.Record, Sendable, Equatable {
                typealias ID = Int

                @dynamicMemberLookup
                nonisolated struct Fields: Sendable {
                    init() {}

                    var id: ModelStore.Field<Visit, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    var room: ModelStore.Field<Visit, Reference<Room>> {
                        ModelStore.Field(1, "room", get: { $0.room }, set: { $0.room = $1 })
                    }

                    var guest: ModelStore.Field<Visit, Reference<Person>?> {
                        ModelStore.Field(2, "guest", get: { $0.guest })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Visit has id, room, guest"
                    )
                    subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Visit, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                static var fields: Fields { Fields() }

                static let recordSchema = ModelStore.RecordSchema(
                    name: "Visit",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        ModelStore.FieldSchema("room", Reference<Room>.self),
                        ModelStore.FieldSchema("guest", Reference<Person>?.self).onDelete(.cascade)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                var recordID: ID { self.id }

                func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.room)
                    try encoder.encode(self.guest)
                }

                init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    let _1 = try decoder.decode(1, as: Reference<Room>.self)
                    let _2 = try decoder.decode(2, as: Reference<Person>?.self, or: nil)
                    self.id = _0
                    self.room = _1
                    self.guest = _2
                }
            }
            """
        )
    }
}
