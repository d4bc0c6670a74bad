package import StoreEngine

extension TraceFrame {
    /// A description of the frame, for people.
    var name: String {
        switch self {
        case .row(let row): "a record of \(row.typeName)"
        case .commit(let commit): "change set \(commit.sequence)"
        case .delivered(let delivery): "an update of subscription \(delivery.number)"
        case .shown, .subscribed, .unsubscribed, .opened, .closed, .advanced: "a frame"
        }
    }

    /// The line of the frame.
    package var json: JSONValue {
        switch self {
        case .row(let row):
            .object([
                JSONMember("row", .string(row.typeName)),
                JSONMember("incarnation", .number(JSONNumber(row.incarnation))),
                JSONMember("record", row.record),
            ])
        case .commit(let commit): commit.json
        case .shown(let sequence): .object([JSONMember("shown", .number(JSONNumber(sequence)))])
        case .subscribed(let subscription): subscription.json
        case .delivered(let delivery): delivery.json
        case .unsubscribed(let number): .object([JSONMember("unsubscribe", .number(JSONNumber(number)))])
        case .opened(let path): .object([JSONMember("open", .string(path))])
        case .closed(let path): .object([JSONMember("close", .string(path))])
        case .advanced(let duration):
            .object([JSONMember("advance", .string(DurationText.text(of: duration)))])
        }
    }
}

extension TraceCommit {
    var json: JSONValue {
        var members = [
            JSONMember("commit", .number(JSONNumber(sequence))), JSONMember("time", .string(time.iso8601)),
            JSONMember("by", .array([.string(originName), .number(JSONNumber(Int64(processID)))])),
            JSONMember("epoch", .hash(epoch)),
        ]
        if let hash { members.append(JSONMember("hash", .hash(hash))) }
        if let action { members.append(JSONMember("action", action.traceJSON)) }
        members.append(JSONMember("changes", .array(changes.map(\.json))))
        return .object(members)
    }
}

extension RecordedAction {
    fileprivate var traceJSON: JSONValue {
        func value(_ bytes: [UInt8]) -> JSONValue { (try? JSONReader.read(bytes)) ?? .null }
        var members = [JSONMember("name", .string(name)), JSONMember("payload", value(payload))]
        if let result { members.append(JSONMember("result", value(result))) }
        members.append(JSONMember("seed", .hash(seed)))
        return .object(members)
    }
}

extension TraceChange {
    package var json: JSONValue {
        switch self {
        case .insert(let type, let record):
            .object([JSONMember("insert", .string(type)), JSONMember("record", record)])
        case .update(let type, let id, let set, let was):
            .object([
                JSONMember("update", .string(type)), JSONMember("id", id), JSONMember("set", .object(set)),
                JSONMember("was", .object(was)),
            ])
        case .delete(let type, let record):
            .object([JSONMember("delete", .string(type)), JSONMember("record", record)])
        case .schema(let type):
            .object([JSONMember("schema", .string(type.name)), JSONMember("type", TraceHeader.json(type) ?? .null)])
        case .reset(let type): .object([JSONMember("reset", type.map { .string($0) } ?? .null)])
        }
    }
}

extension TraceSubscription {
    fileprivate var json: JSONValue {
        var members = [JSONMember("subscribe", .number(JSONNumber(number))), JSONMember("type", .string(typeName))]
        if let request {
            members.append(JSONMember("where", .string(request.condition)))
            if !request.order.isEmpty { members.append(JSONMember("sort", .string(request.order))) }
            if let limit = request.limit { members.append(JSONMember("limit", .number(JSONNumber(limit)))) }
            if request.offset > 0 { members.append(JSONMember("offset", .number(JSONNumber(request.offset)))) }
            if let fields = request.fields {
                members.append(JSONMember("fields", .array(fields.map { .string($0) })))
            }
        }
        if isCount { members.append(JSONMember("count", .bool(true))) }
        if let omission { members.append(JSONMember("omitted", .string(omission))) }
        return .object(members)
    }
}

extension TraceDelivery {
    package var json: JSONValue {
        let head = [
            JSONMember("deliver", .number(JSONNumber(number))), JSONMember("at", .number(JSONNumber(sequence))),
        ]
        return switch content {
        case .rows(let rows): .object(head + [JSONMember("rows", .array(rows))])
        case .changes(let changes): .object(head + [JSONMember("changes", .array(changes))])
        case .count(let count): .object(head + [JSONMember("count", .number(JSONNumber(count)))])
        }
    }
}
