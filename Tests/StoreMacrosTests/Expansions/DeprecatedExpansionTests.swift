import Testing

@Suite struct DeprecatedExpansionTests {
    @Test func `what uses a deprecated property is deprecated with it`() {
        expectExpansion(
            of: """
                @Record
                package struct Sensor {
                    @ID package var id: Int
                    @available(*, deprecated, message: "use celsius") package var degrees: Optional<Int>
                }
                """,
            """
            package struct Sensor {
                package var id: Int
                @available(*, deprecated, message: "use celsius") package var degrees: Optional<Int>
            }

            nonisolated extension Sensor: ModelStore.Record, Sendable, Equatable {
                package typealias ID = Int

                @dynamicMemberLookup
                package nonisolated struct Fields: Sendable {
                    @inlinable package init() {}

                    @inlinable package var id: ModelStore.Field<Sensor, Int> {
                        ModelStore.Field(0, "id", get: { $0.id }, set: { $0.id = $1 })
                    }

                    @available(*, deprecated) @inlinable package var degrees: ModelStore.Field<Sensor, Optional<Int>> {
                        ModelStore.Field(1, "degrees", get: { $0.degrees }, set: { $0.degrees = $1 })
                    }

                    @available(
                        *, unavailable,
                        message: "there is no field with this name: Sensor has id, degrees"
                    )
                    package subscript(
                        dynamicMember name: ModelStore._NoFieldOfThisName
                    ) -> ModelStore.Field<Sensor, ModelStore._NoSuchValue> { fatalError("unavailable") }
                }

                @inlinable package static var fields: Fields { Fields() }

                package static let recordSchema = ModelStore.RecordSchema(
                    name: "Sensor",
                    fields: [
                        ModelStore.FieldSchema("id", Int.self),
                        ModelStore.FieldSchema("degrees", Optional<Int>.self)
                    ],
                    id: ModelStore.IDSchema([0]),
                    indexes: []
                )

                @inlinable package var recordID: ID { self.id }

                @available(*, deprecated)
                @inlinable
                package func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                    try encoder.encode(self.id)
                    try encoder.encode(self.degrees)
                }

                @available(*, deprecated)
                @inlinable
                package init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                    let _0 = try decoder.decode(0, as: Int.self)
                    let _1 = try decoder.decode(1, as: Optional<Int>.self, or: nil)
                    self.id = _0
                    self.degrees = _1
                }

                @available(
                    *, unavailable,
                    message: "'Sensor' has no package initializer: declare one, as Swift's memberwise one is internal"
                )
                @_disfavoredOverload
                package init(
                    id: Int,
                    degrees: Optional<Int>,
                    _: Never? = nil
                ) { self = ModelStore._noValue() }
            }
            """
        )
    }
}
