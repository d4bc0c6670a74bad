import Foundation
package import StoreEngine

/// Encodes actions as JSON with sorted keys, so that equal actions have equal bytes. It refuses sets, and dictionaries whose keys
/// are not encoded as strings, because their order differs from run to run.
package enum ActionCoding {
    /// Returns the JSON of an action or its result.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    package static func encode(_ value: some Encodable, of name: String) throws(StoreError) -> [UInt8] {
        if let unordered = UnorderedContent.find(in: value) {
            throw StoreError(
                .invalidValue,
                "the action \(name) cannot be recorded: \(type(of: value)) contains a \(unordered), whose order differs from run to run",
                remedy: "use an array instead")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            // Written in the same style as the JSON of traces.
            return JSONWriter.bytes(of: try JSONReader.read([UInt8](try encoder.encode(value))))
        } catch {
            throw StoreError(
                .invalidValue, "the action \(name) cannot be encoded as JSON: \(ErrorText.of(error))",
                remedy: "correct the `encode(to:)` of \(type(of: value))", cause: error)
        }
    }

    /// Decodes a value that ``encode(_:of:)`` encoded.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], of name: String
    ) throws(StoreError) -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch {
            throw StoreError(
                .invalidValue, "the recorded action \(name) cannot be decoded as \(type): \(ErrorText.of(error))",
                remedy: "make the type decode the actions of earlier versions, or map the name to another type",
                cause: error)
        }
    }

    /// Returns the JSON of an action's result; nil if there is none.
    static func encode<A: Action>(result: A.Result, of action: A.Type) throws(StoreError) -> [UInt8]? {
        guard let value = result as? any Encodable else { return nil }
        return try encode(value, of: action.actionName)
    }

    /// Checks that an action's result can be recorded or left out.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` if it can be neither.
    static func requireRecordable<A: Action>(_ action: A.Type) throws(StoreError) {
        guard A.Result.self != Void.self, !(A.Result.self is any Encodable.Type) else { return }
        throw StoreError(
            .invalidValue, "the action \(A.actionName) returns \(A.Result.self), which cannot be recorded",
            remedy: "make the result Codable, or return nothing")
    }
}

extension Action {
    /// Runs this action in its own write closure, and records it there.
    package func runNoted(payload: [UInt8], in tx: inout WriteTransaction) throws -> Result {
        let result = try run(in: &tx)
        try tx.note(
            RecordedAction(
                name: Self.actionName, payload: payload, result: try ActionCoding.encode(result: result, of: Self.self),
                seed: tx.seed))
        return result
    }
}
