import StoreEngine

// Recorded changes in terms of the current types: since the recording, fields may have been renamed, reordered or removed.
extension TraceSchema {
    /// Returns a recorded change with the current names and order of its fields.
    ///
    /// - Parameter keepsUnknown: whether removed fields are kept, after the others.
    func adapted(_ change: TraceChange, keepsUnknown: Bool) -> TraceChange {
        func adapted(_ record: JSONValue, _ name: String) -> JSONValue {
            self.adapted(record, of: name, keepsUnknown: keepsUnknown)
        }
        return switch change {
        case .insert(let name, let record): .insert(type: name, record: adapted(record, name))
        case .delete(let name, let record): .delete(type: name, record: adapted(record, name))
        case .update(let name, let id, let set, let was):
            .update(
                type: name, id: id, set: self.adapted(set, of: name, keepsUnknown: keepsUnknown),
                was: self.adapted(was, of: name, keepsUnknown: keepsUnknown))
        case .schema, .reset: change
        }
    }

    /// Returns a recorded record with the current names and order of its fields.
    func adapted(_ record: JSONValue, of name: String, keepsUnknown: Bool) -> JSONValue {
        guard let members = record.object else { return record }
        return .object(adapted(members, of: name, keepsUnknown: keepsUnknown))
    }

    private func adapted(_ members: [JSONMember], of name: String, keepsUnknown: Bool) -> [JSONMember] {
        guard let type = try? type(named: name) else { return members }
        var known: [(fieldIndex: Int, member: JSONMember)] = []
        var unknown: [JSONMember] = []
        for member in members {
            if let fieldIndex = type.fieldIndex(named: member.key) {
                known.append((fieldIndex, JSONMember(type.fields[fieldIndex].name, member.value)))
            } else {
                unknown.append(member)
            }
        }
        known.sort { $0.fieldIndex < $1.fieldIndex }
        return known.map(\.member) + (keepsUnknown ? unknown : [])
    }
}
