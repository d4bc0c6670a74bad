import StoreEngine

/// One operation of a write closure, without Swift types. It names record types by their position in the catalog.
enum DynamicOperation: Sendable {
    case put(type: Int, DynamicRecord, WriteMode)
    case delete(type: Int, id: [DynamicValue])
}

extension DynamicOperation: CustomStringConvertible {
    var description: String {
        switch self {
        case .put(let type, let record, let mode): "\(mode) T\(type) \(Self.text(record.values))"
        case .delete(let type, let id): "delete T\(type) \(Self.text(id))"
        }
    }

    private static func text(_ values: [DynamicValue]) -> String {
        "\(values.map { RecordText.shortened($0.text) })"
    }
}

extension WriteTransaction {
    /// Runs an operation, and returns whether it succeeded.
    mutating func apply(_ operation: DynamicOperation) throws -> Bool {
        switch operation {
        case .put(let type, let record, let mode):
            do {
                try put(record, typeIndex: type, mode: mode)
                return true
            } catch {
                guard [.recordExists, .recordNotFound, .uniqueViolation].contains(error.code) else { throw error }
                return false
            }
        case .delete(let type, let id): return try delete(dynamicID: id, typeIndex: type)
        }
    }
}
