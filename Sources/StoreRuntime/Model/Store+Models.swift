public import StoreEngine

extension Store {
    /// The live model of a record: the same object for all who ask while one of them keeps it.
    ///
    /// In a read view the record is looked for at the view's position. Logarithmic in the number of records where the model is
    /// new, constant time otherwise.
    ///
    /// - Throws: ``StoreError``: `recordNotFound` when there is no record with this id; `unknownType` when the store was opened
    ///   without `R`; `closed`; `damaged`.
    public func model<R: Record>(_ type: R.Type = R.self, id: R.ID) throws -> Model<R> {
        guard let model = try modelIfPresent(type, id: id) else {
            throw StoreError(
                .recordNotFound, "there is no \(R.recordSchema.name) with the id \(id)",
                remedy: "insert it first, or use modelIfPresent")
        }
        return model
    }

    /// As ``model(_:id:)``; nil when there is no record with this id.
    public func modelIfPresent<R: Record>(_ type: R.Type = R.self, id: R.ID) throws -> Model<R>? {
        try requireOpen()
        try core.stepper.start(core)
        let key = RecordKey.of(type, id: id)
        guard let view = ReadViewStorage.current(on: core.stepper.timeline) else {
            return try core.model(type, id: id, key: key)
        }
        guard let record = try view.record(type, id: id) else { return nil }
        return core.model(of: record, key: key, at: view.position)
    }
}

extension StoreCore {
    /// The live model of a record that is read; nil where it is not there.
    fileprivate func model<R: Record>(_ type: R.Type, id: R.ID, key: [UInt8]) throws -> Model<R>? {
        let table = stepper.table(type)
        if let model = table.find(key), !model.visible.isDeleted { return model }
        while true {
            let transaction = try beginRead()
            guard let record = try transaction.get(type, id: id) else { return nil }
            let position = try transaction._reading.feedPosition()
            let model = Model(record, key: key, at: position, table, self)
            if let model = table.add(model, isLate: { stepper.isPast(position.sequence) }) { return model }
        }
    }

    /// The live model of a record that a view or a live result has at a position. Where it is not there any more, or cannot be read,
    /// one of its own, which shows the record as it was and is deleted from the next position on.
    func model<R: Record>(of record: R, key: [UInt8], at position: Position) -> Model<R> {
        if let model = try? model(R.self, id: record.recordID, key: key) { return model }
        var (record, position) = (record, position)
        // A later view may have it still, with other values.
        if let view = ReadViewStorage.current(on: stepper.timeline), view.sequence > position.sequence,
            let shown = try? view.record(R.self, id: record.recordID)
        {
            (record, position) = (shown, view.position)
        }
        let model = Model(record, key: key, at: position, stepper.table(R.self), self)
        model.state.pushEnd { version in
            ModelVersion(version.of(R.self).record, at: position, after: position.sequence, isDeleted: true)
        }
        return model
    }
}
