import StoreEngine

/// The state of a store at the beginning of a trace.
enum TraceBase {
    /// Writes the header and the rows of one snapshot.
    ///
    /// - Parameter position: where the trace begins, which is the snapshot's position.
    /// - Throws: `StoreError`.
    static func begin(
        _ scope: ReadContext, at position: Position, to target: FeedRecording.Target, _ redactor: inout Redactor?,
        redacted: [String]
    ) throws -> (writer: TraceWriter, rowCount: Int) {
        var types = position.sequence == 0 ? [] : try scope.storedTypes()
        for typeIndex in types.indices {
            if let redacted = try redactor?.redact(types[typeIndex]) { types[typeIndex] = redacted }
        }
        let open = position.sequence == 0 ? [] : Array(scope.catalog.types.enumerated())
        var assigned: [(type: UInt32, id: UInt64)] = []
        var rowCount = 0
        for (index, type) in open {
            if type.type.assignsIDs { assigned.append((type.type.id, try scope.greatestAssignedID(of: type))) }
            rowCount += try scope.count(typeIndex: index)
        }
        let content = redactor == nil ? (open.isEmpty ? 0 : try scope.contentHash()) : nil
        let writer = try TraceWriter(
            path: target.path, replaces: target.replacesFile, like: target.model,
            TraceHeader(
                start: position, types: types, assignedIDs: assigned, rowCount: rowCount, content: content,
                redacted: redacted))
        for (index, type) in open {
            try scope.forEachNewest(typeIndex: index) { record in
                var json = try type.type.json(newest: record.table, .exact)
                redactor?.redact(&json, of: type.type)
                try writer.append(
                    .row(TraceRow(typeName: type.name, incarnation: record.incarnation, record: json)))
            }
        }
        return (writer, rowCount)
    }
}
