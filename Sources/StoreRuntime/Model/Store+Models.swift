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
        let table = core.stepper.table(type)
        let key = RecordKey.of(type, id: id)
        if let view = ReadViewStorage.current(on: core.stepper.timeline),
            try view.record(type, id: id) == nil
        {
            return nil
        }
        if let model = table.find(key), !model.visible.isDeleted { return model }
        while true {
            let transaction = try core.beginRead()
            guard let record = try transaction.get(type, id: id) else { return nil }
            let position = try transaction._reading.feedPosition()
            let model = Model(record, key: key, at: position, table, core)
            if let model = table.add(model, isLate: { core.stepper.isPast(position.sequence) }) { return model }
        }
    }
}
