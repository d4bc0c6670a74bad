import Foundation
package import StoreEngine

/// How actions are written down: as JSON with sorted keys, so that equal actions are equal bytes. Sets, and dictionaries whose keys are
/// no texts, would come in an order that differs from run to run, and are refused.
package enum ActionCoding {
    /// The JSON of an action or its result.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    package static func encode(_ value: some Encodable, of name: String) throws(StoreError) -> [UInt8] {
        if let unordered = UnorderedContent.find(in: value) {
            throw StoreError(
                .invalidValue,
                "the action \(name) cannot be recorded: \(type(of: value)) holds a \(unordered), whose order differs from run to run",
                remedy: "have an array instead")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            // In the spelling that traces have too.
            return JSONWriter.bytes(of: try JSONReader.read([UInt8](try encoder.encode(value))))
        } catch {
            throw StoreError(
                .invalidValue, "the action \(name) cannot be encoded as JSON: \(ErrorText.of(error))",
                remedy: "mend the `encode(to:)` of \(type(of: value))", cause: error)
        }
    }

    /// The value that ``encode(_:of:)`` has written.
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
                .invalidValue, "the recorded action \(name) is no \(type): \(ErrorText.of(error))",
                remedy: "have the type decode what earlier versions wrote, or map the name to another one",
                cause: error)
        }
    }

    /// The JSON of what an action returned; nil for nothing.
    static func encode<A: Action>(result: A.Result, of action: A.Type) throws(StoreError) -> [UInt8]? {
        guard let value = result as? any Encodable else { return nil }
        return try encode(value, of: action.actionName)
    }

    /// - Throws: ``StoreError`` with the code `invalidValue` when what an action returns can be neither recorded nor left out.
    static func requireRecordable<A: Action>(_ action: A.Type) throws(StoreError) {
        guard A.Result.self != Void.self, !(A.Result.self is any Encodable.Type) else { return }
        throw StoreError(
            .invalidValue, "the action \(A.actionName) returns \(A.Result.self), which cannot be recorded",
            remedy: "make that Codable, or return nothing")
    }
}

extension Action {
    /// Runs this action in a closure of its own, and notes it there.
    package func runNoted(payload: [UInt8], in tx: inout WriteTransaction) throws -> Result {
        let result = try run(in: &tx)
        try tx.note(
            RecordedAction(
                name: Self.actionName, payload: payload, result: try ActionCoding.encode(result: result, of: Self.self),
                seed: tx.seed))
        return result
    }
}
