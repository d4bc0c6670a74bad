public import StoreEngine

extension Store {
    /// Returns the live model of a record. Every caller that asks for the same id gets the same object, as long as any reference
    /// to it exists.
    ///
    /// In a read view, the record is looked up at the view's position.
    ///
    /// - Throws: ``StoreError``: `recordNotFound` if there is no record with this id; `unknownType` if the store was opened
    ///   without `R`; `closed`; `damaged`. `valueDoesNotFit` if the record cannot be decoded and has no model yet.
    /// - Complexity: logarithmic in the number of records if the model is new, otherwise constant.
    public func model<R: Record>(_ type: R.Type = R.self, id: R.ID) throws -> Model<R> {
        guard let model = try modelIfPresent(type, id: id) else {
            throw StoreError(
                .recordNotFound, "there is no \(R.recordSchema.name) with the id \(id)",
                remedy: "insert it first, or use modelIfPresent")
        }
        return model
    }

    /// Returns the live model of a record, as ``model(_:id:)``; nil if there is no record with this id.
    public func modelIfPresent<R: Record>(_ type: R.Type = R.self, id: R.ID) throws -> Model<R>? {
        try requireOpen()
        try core.dispatcher.start()
        let key = RecordKey.of(type, id: id, core.state.databases.keyHash)
        let model: Model<R>?
        if let view = ReadViewStorage.current(on: core.dispatcher.timeline) {
            let live = core.dispatcher.table(type).find(key).map { StoredRecord($0) }
            model = try StoredRecord(key, in: view.scope, or: live).map { core.model(of: $0, at: view.position) }
        } else {
            model = try core.model(type, key: key)
        }
        // The key may be the truncated key of another long id.
        guard let model, RecordKey.isWhole(key) || Sameness.haveOneKey(R._key(of: model.id), R._key(of: id)) else {
            return nil
        }
        return model
    }
}

extension StoreCore {
    /// Returns the live model of a record, which it reads if there is no model yet; nil if the record does not exist.
    ///
    /// - Parameter earlier: an earlier state of the record. The model has it if the newest state cannot be decoded.
    fileprivate func model<R: Record>(
        _ type: R.Type, key: [UInt8], or earlier: StoredRecord<R>? = nil
    ) throws -> Model<R>? {
        let table = dispatcher.table(type)
        if let model = table.find(key), !model.publishedVersion.isDeleted { return model }
        while true {
            let transaction = try beginRead()
            let scope = transaction._reading
            guard let found = try StoredRecord<R>(key, in: scope, or: earlier) else { return nil }
            if let model = try add(found, at: scope.feedPosition(), table) { return model }
        }
    }

    private func add<R: Record>(
        _ found: StoredRecord<R>, at position: Position, _ table: TypedModelTable<R>
    ) -> Model<R>? {
        table.add(Model(found, at: position, table, self)) { dispatcher.applyingSequence }
    }

    /// Returns the live model of a record that a view or a live result has at a position.
    ///
    /// If the record does not exist any more, returns a separate model, which keeps the record's values and is deleted from the
    /// next position on. If the store cannot be read, returns a model that has ended.
    func model<R: Record>(of found: StoredRecord<R>, at position: Position) -> Model<R> {
        let table = dispatcher.table(R.self)
        if let model = table.find(found.key) ?? add(found, at: position, table) {
            if model.state.incarnation == found.incarnation { return model }
        } else {
            do {
                if let model = try model(R.self, key: found.key, or: found),
                    model.state.incarnation == found.incarnation
                {
                    return model
                }
            } catch {
                let model = Model(found, at: position, table, self)
                model.state.end()
                return model
            }
        }
        var (found, position) = (found, position)
        // A later view may still have the record, with other values.
        if let view = ReadViewStorage.current(on: dispatcher.timeline), view.sequence > position.sequence,
            let version = try? StoredRecord<R>(found.key, in: view.scope), version.incarnation == found.incarnation
        {
            (found, position) = (version, view.position)
        }
        let model = Model(found, at: position, table, self)
        model.state.pushEnd { version in
            ModelVersion(version.of(R.self).record, at: position, after: version, isDeleted: true)
        }
        return model
    }
}
