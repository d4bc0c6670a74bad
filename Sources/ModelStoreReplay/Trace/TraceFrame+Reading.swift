import Foundation
package import StoreEngine

extension TraceFrame {
    /// The frame of a line; nil for an unknown kind of frame, which a later version of the library may write.
    ///
    /// - Throws: ``TraceMistake``; `StoreError`.
    package init?(_ json: JSONValue) throws {
        guard let first = json.object?.first else { throw TraceMistake("a line is not an object with members") }
        switch first.key {
        case "row":
            guard let name = first.value.string, let incarnation = json["incarnation"]?.number?.uint64,
                let record = json["record"]
            else { throw TraceMistake("a row lacks a member") }
            self = .row(TraceRow(typeName: name, incarnation: incarnation, record: record))
        case "commit": self = .commit(try TraceCommit(json))
        case "shown": self = .shown(UInt64(try Self.number(first.value).magnitude))
        case "subscribe": self = .subscribed(try TraceSubscription(json))
        case "deliver": self = .delivered(try TraceDelivery(json))
        case "unsubscribe": self = .unsubscribed(try Self.number(first.value))
        case "open": self = .opened(try Self.text(first.value))
        case "close": self = .closed(try Self.text(first.value))
        case "advance":
            guard case .duration(let duration) = try? DynamicValue(text: Self.text(first.value), as: .duration) else {
                throw TraceMistake("the advance of a clock is not a duration")
            }
            self = .advanced(duration)
        default: return nil
        }
    }

    fileprivate static func number(_ json: JSONValue?) throws -> Int {
        guard let number = json?.number?.int64, number >= 0 else { throw TraceMistake("a number is missing") }
        return Int(number)
    }

    fileprivate static func text(_ json: JSONValue?) throws -> String {
        guard let text = json?.string else { throw TraceMistake("a text is missing") }
        return text
    }
}

extension TraceCommit {
    fileprivate init(_ json: JSONValue) throws {
        guard let sequence = json["commit"]?.number?.uint64, let time = json["time"]?.string,
            let name = json["by"]?[0]?.string, let processID = json["by"]?[1]?.number?.int64,
            let epoch = json["epoch"]?.hash, let changes = json["changes"]?.array
        else { throw TraceMistake("a commit lacks a member") }
        guard case .date(let date) = try? DynamicValue(text: time, as: .date) else {
            throw TraceMistake("the time of commit \(sequence) is not a date")
        }
        self.init(
            sequence: sequence, time: date, originName: name, processID: Int32(truncatingIfNeeded: processID),
            epoch: epoch,
            hash: json["hash"]?.hash, action: try json["action"].map(RecordedAction.init(trace:)),
            changes: try changes.map(TraceChange.init))
    }
}

extension RecordedAction {
    fileprivate init(trace json: JSONValue) throws {
        guard let name = json["name"]?.string, let payload = json["payload"], let seed = json["seed"]?.hash else {
            throw TraceMistake("an action lacks a member")
        }
        self.init(
            name: name, payload: JSONWriter.bytes(of: payload), result: json["result"].map { JSONWriter.bytes(of: $0) },
            seed: seed)
    }
}

extension TraceChange {
    package init(_ json: JSONValue) throws {
        guard let first = json.object?.first else { throw TraceMistake("a change is not an object") }
        let name = first.value.string
        switch (first.key, name) {
        case ("insert", let name?):
            guard let record = json["record"] else { throw TraceMistake("an insert has no record") }
            self = .insert(type: name, record: record)
        case ("update", let name?):
            guard let id = json["id"], let set = json["set"]?.object, let was = json["was"]?.object else {
                throw TraceMistake("an update lacks a member")
            }
            self = .update(type: name, id: id, set: set, was: was)
        case ("delete", let name?):
            guard let record = json["record"] else { throw TraceMistake("a delete has no record") }
            self = .delete(type: name, record: record)
        case ("schema", _?):
            guard let type = json["type"] else { throw TraceMistake("a schema change has no type") }
            self = .schema(try TraceHeader.type(type))
        case ("reset", _): self = .reset(type: name)
        default: throw TraceMistake("a change has the unknown kind \(first.key)")
        }
    }
}

extension TraceSubscription {
    fileprivate init(_ json: JSONValue) throws {
        number = try TraceFrame.number(json["subscribe"])
        typeName = try TraceFrame.text(json["type"])
        isCount = json["count"]?.bool ?? false
        omission = json["omitted"]?.string
        if let condition = json["where"]?.string {
            request = TraceRequest(
                condition: condition, order: json["sort"]?.string ?? "",
                limit: try json["limit"].map(TraceFrame.number),
                offset: try json["offset"].map(TraceFrame.number) ?? 0,
                fields: json["fields"]?.array?.compactMap(\.string))
        }
    }
}

extension TraceDelivery {
    fileprivate init(_ json: JSONValue) throws {
        number = try TraceFrame.number(json["deliver"])
        guard let sequence = json["at"]?.number?.uint64 else { throw TraceMistake("a delivery has no position") }
        self.sequence = sequence
        if let rows = json["rows"]?.array {
            content = .rows(rows)
        } else if let changes = json["changes"]?.array {
            content = .changes(changes)
        } else {
            content = .count(try TraceFrame.number(json["count"]))
        }
    }
}
