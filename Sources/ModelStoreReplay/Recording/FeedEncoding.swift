import Foundation
import StoreEngine

/// Turns change sets into frames of a trace.
struct FeedEncoding {
    private(set) var schema: TraceSchema
    /// How many schema changes were encoded.
    private(set) var schemaChangeCount = 0
    private var redactor: Redactor?

    init(_ schema: TraceSchema, _ redactor: Redactor?) {
        self.schema = schema
        self.redactor = redactor
    }

    /// Takes the new description of a type, from a change set that is not encoded.
    mutating func become(_ type: RecordType) { schema.become(type) }

    /// Returns the frame of a change set, which is given in parts.
    ///
    /// - Throws: `StoreError`: `damaged`; `notRecordable` if a change of the schema makes a value impossible to redact.
    mutating func commit(_ parts: [FeedPart]) throws(StoreError) -> TraceCommit {
        let last = parts[parts.count - 1]
        var changes: [TraceChange] = []
        for part in parts {
            for change in part.changes {
                do {
                    changes.append(try encode(change))
                } catch {
                    throw StoreError(error, at: "change set \(last.sequence) of the feed")
                }
                // Later changes are redacted with this description.
                guard case .schema(let type) = changes[changes.count - 1] else { continue }
                schemaChangeCount += 1
                try redactor?.become(type)
                do {
                    if let redacted = try redactor?.redact(type) { changes[changes.count - 1] = .schema(redacted) }
                } catch {
                    throw StoreError(error, at: "change set \(last.sequence) of the feed")
                }
            }
        }
        return TraceCommit(
            sequence: last.sequence, time: last.header.time, originName: last.header.origin.storedName,
            processID: last.header.origin.processID, epoch: last.header.epoch,
            hash: redactor == nil ? last.position.hash : nil,
            action: parts[0].action.map { redactor?.redact($0) ?? $0 }, changes: changes)
    }

    private mutating func encode(_ change: FeedChange) throws(CodecError) -> TraceChange {
        switch change.kind {
        case .reset: return .reset(type: change.type == .max ? nil : schema.name(of: change.type))
        case .schema:
            let type = try Self.type(change.record)
            schema.become(type)
            return .schema(type)
        case .insert, .update, .delete, .replace: break
        }
        guard let type = schema.types[change.type] else {
            throw CodecError("it changes a record of the type \(change.type), whose description the feed lacks")
        }
        let name = schema.name(of: change.type)
        var record = try type.json(record: change.record, schema.form)
        redactor?.redact(&record, of: type)
        guard change.kind == .update else {
            return change.kind == .insert ? .insert(type: name, record: record) : .delete(type: name, record: record)
        }
        var (set, was): ([JSONMember], [JSONMember]) = ([], [])
        for earlier in change.earlier {
            guard let fieldIndex = type.fieldIndex(ofID: earlier.field) else {
                throw CodecError("it changes a field that \(type.name) does not have")
            }
            let field = type.fields[fieldIndex]
            set.append(JSONMember(field.name, record[field.name] ?? .null))
            guard let bytes = earlier.bytes else { continue }
            let value = unsafe try DynamicValue(from: bytes.span.bytes, as: field.type)
            var json = value.json(as: field.type, schema.form)
            redactor?.redact(&json, field, of: type)
            was.append(JSONMember(field.name, json))
        }
        return .update(type: name, id: type.id(in: record), set: set, was: was)
    }

    private static func type(_ description: [UInt8]) throws(CodecError) -> RecordType {
        do {
            return try JSONDecoder().decode(RecordType.self, from: Data(description))
        } catch {
            throw CodecError("the description of a record type cannot be read: \(error)")
        }
    }
}
