/// Change sets and changes as text for people, as `store-cli feed` prints them.
extension ChangeSet: CustomStringConvertible {
    /// One line for the action and for each change: the sequence number, the time, the origin, the kind, the type, the id, and
    /// the changed fields or the record. Undecodable records appear as the error. Control characters appear as escapes.
    public var description: String {
        let rows = textRows().map { $0.map(DisplayText.escaped) }
        let widths = rows.reduce(into: [Int](repeating: 0, count: rows.first?.count ?? 0)) { widths, row in
            for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.count) }
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                column == row.count - 1 ? text : text + String(repeating: " ", count: widths[column] - text.count)
            }
            return cells.joined(separator: "  ")
        }
        .joined(separator: "\n")
    }

    /// The name of the origin, with the kind behind it unless the change set is a write of the program.
    package var originText: String { kind == .user ? origin.name : "\(origin.name) (\(kind))" }

    private func textRows() -> [[String]] {
        let common = ["\(sequence)", time.iso8601, originText]
        let rows = changes.map { common + $0.textCells() }
        guard let action else { return rows.isEmpty ? [common + ["", "", "", ""]] : rows }
        return [common + ["action", action.name, "", String(decoding: action.payload, as: UTF8.self)]] + rows
    }
}

extension RecordChange: CustomStringConvertible {
    /// The kind, the type, the id, and the changed fields or the record.
    public var description: String { DisplayText.escaped(textCells().filter { !$0.isEmpty }.joined(separator: " ")) }

    /// Returns the change as text for people: the fields with both values, or the record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    package func summary() throws(StoreError) -> String {
        let fields = try fieldChanges()
        guard fields.isEmpty else {
            return fields.map { "\($0.name): \($0.beforeJSON) → \($0.afterJSON)" }.joined(separator: ", ")
        }
        if let after = try afterJSON() { return after }
        return try beforeJSON() ?? ""
    }

    fileprivate func textCells() -> [String] {
        do throws(StoreError) {
            return [kind.name, typeName, Self.text(try id()), try summary()]
        } catch {
            return [kind.name, typeName, "?", error.text]
        }
    }

    /// Returns an id as text, with the escapes of JSON if it contains control characters.
    private static func text(_ id: JSONValue?) -> String {
        guard let id else { return "" }
        if case .string(let text) = id, text.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) {
            return text
        }
        return JSONWriter.text(of: id)
    }
}

extension ChangeKind {
    /// The kind as a word.
    package var name: String {
        switch self {
        case .insert: "insert"
        case .update: "update"
        case .delete: "delete"
        case .schema: "schema"
        case .reset: "reset"
        case .replace: "replace"
        }
    }
}
