import StoreEngine

/// The expected record type and records after a random history of declarations and writes.
struct EvolvingModel {
    struct Field: Hashable {
        var name: String
        var type: FieldType
        var defaultValue: DynamicValue?
        var oldNames: [String] = []
        /// Whether the current declaration includes the field.
        var isDeclared = true
        var index: Index?
    }

    enum Index: Hashable {
        case plain, unique
    }

    /// The fields besides the id, which is an `int64`.
    var fields: [Field] = []
    /// The values of the records, by field name.
    typealias Records = [Int64: [String: DynamicValue]]

    /// The current records.
    var records: Records = [:]
    private var nameCount = 0

    /// The schema that the program currently declares.
    var schema: RecordSchema {
        let declared = fields.filter(\.isDeclared)
        return RecordSchema(
            name: "Thing",
            fields: [FieldSchema("id", Int64.self)]
                + declared.map {
                    FieldSchema(
                        name: $0.name, type: $0.type, defaultValue: Self.encodedDefault($0), renamedFrom: $0.oldNames)
                },
            id: IDSchema([0]),
            indexes: declared.enumerated().compactMap { place, field in
                field.index.map { IndexSchema([place + 1], isUnique: $0 == .unique) }
            })
    }

    private static func encodedDefault(_ field: Field) -> FieldDefault? {
        guard let value = field.defaultValue else { return nil }
        var writer = ByteWriter()
        do {
            try value.encode(as: field.type, to: &writer)
        } catch {
            return nil
        }
        return .value(writer.array())
    }

    mutating func newName() -> String {
        nameCount += 1
        return "f\(nameCount)"
    }

    static let scalars: [FieldType] = [
        .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .string,
        .enumeration(.string, cases: ["a", "b"]),
    ]

    /// Returns the types that can hold every value of a type.
    static func wider(_ type: FieldType) -> [FieldType] {
        switch type {
        case .optional(let wrapped): wider(wrapped).filter { !$0.isOptional }.map { .optional($0) }
        case .int8: [.int16, .int32, .int64, .float, .double, .optional(.int8), .optional(.int64)]
        case .int16: [.int32, .int64, .float, .double, .optional(.int16)]
        case .int32: [.int64, .double, .optional(.double)]
        case .uint8: [.uint16, .int16, .uint64, .int64, .float, .double, .optional(.uint32)]
        case .uint16: [.uint32, .int32, .float, .double]
        case .uint32: [.uint64, .int64, .double, .optional(.int64)]
        case .float: [.double, .optional(.float), .optional(.double)]
        case .enumeration(.string, let cases?):
            [.enumeration(.string, cases: EnumCases(cases.rawValues + ["c\(cases.count)"])), .string, .optional(type)]
        default: [.optional(type)]
        }
    }

    /// Converts a value to another type. Returns nil if that type cannot hold it.
    static func converted(_ value: DynamicValue, to type: FieldType) -> DynamicValue? {
        if case .optional(let wrapped) = type {
            return value == .none ? DynamicValue.none : converted(value, to: wrapped)
        }
        switch (value, type.rawType) {
        case (.none, _): return nil
        case (.string(let text), _):
            if case .enumeration(_, let cases?) = type { return cases.contains(text) ? value : nil }
            return type == .string ? value : nil
        case (.int(let number), let raw): return whole(number, as: raw)
        case (.uint(let number), let raw): return whole(number, as: raw)
        case (.float, .float): return value
        case (.float(let float), .double): return .double(Double(float))
        case (.float(let float), let raw): return fraction(Double(float), as: raw)
        case (.double(let double), .double): return .double(double)
        case (.double(let double), .float): return Double(Float(double)) == double ? .float(Float(double)) : nil
        case (.double(let double), let raw): return fraction(double, as: raw)
        default: return type.rawType == .bool ? value : nil
        }
    }

    private static func whole<S: BinaryInteger>(_ number: S, as type: FieldType) -> DynamicValue? {
        switch type {
        case .int8: Int8(exactly: number).map { .int(Int64($0)) }
        case .int16: Int16(exactly: number).map { .int(Int64($0)) }
        case .int32: Int32(exactly: number).map { .int(Int64($0)) }
        case .int64: Int64(exactly: number).map { .int($0) }
        case .uint8: UInt8(exactly: number).map { .uint(UInt64($0)) }
        case .uint16: UInt16(exactly: number).map { .uint(UInt64($0)) }
        case .uint32: UInt32(exactly: number).map { .uint(UInt64($0)) }
        case .uint64: UInt64(exactly: number).map { .uint($0) }
        case .float: Float(exactly: number).map { .float($0) }
        case .double: Double(exactly: number).map { .double($0) }
        default: nil
        }
    }

    private static func fraction(_ double: Double, as type: FieldType) -> DynamicValue? {
        if let number = Int64(exactly: double) { return whole(number, as: type) }
        return UInt64(exactly: double).flatMap { whole($0, as: type) }
    }
}
