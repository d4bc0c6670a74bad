import StoreEngine

/// What a record type held at earlier positions, in the form that it has now.
struct EarlierContents {
    struct Moment {
        let position: Position
        var records: EvolvingModel.Records
    }

    private(set) var moments: [Moment] = []
    /// Those with records that could not be given that form by the newest migration. They are told only until the next change of
    /// the schema, which may give the type a form again that they have.
    private(set) var unfit: [Position] = []

    /// Numbers of records that are told apart by their moments.
    private static let stride: Int64 = 1_000

    mutating func add(_ position: Position, _ records: EvolvingModel.Records) {
        moments.append(Moment(position: position, records: records))
        if moments.count > 6 { moments.remove(at: moments.count / 2) }
    }

    /// Has everything changed as a declaration changes a model with its records.
    mutating func evolved(with model: EvolvingModel, by evolve: (EvolvingModel) -> EvolvingModel) -> EvolvingModel {
        unfit = []
        var all = model
        for (number, moment) in moments.enumerated() {
            for (id, values) in moment.records { all.records[Int64(number + 1) * Self.stride + id] = values }
        }
        var next = evolve(all)
        for number in moments.indices {
            moments[number].records = Self.take(&next.records, Int64(number + 1) * Self.stride)
        }
        return next
    }

    private static func take(_ records: inout EvolvingModel.Records, _ start: Int64) -> EvolvingModel.Records {
        var taken: EvolvingModel.Records = [:]
        for id in records.keys where (start..<start + stride).contains(id) {
            taken[id - start] = records.removeValue(forKey: id)
        }
        return taken
    }

    /// Gives all records the fields of a model: others go, and values become those of the fields' types.
    mutating func migrate(to model: EvolvingModel) {
        unfit = []
        for number in moments.indices.reversed() {
            var fits = true
            for (id, values) in moments[number].records {
                var converted: [String: DynamicValue] = [:]
                for field in model.fields {
                    let value = values[field.name].flatMap { EvolvingModel.converted($0, to: field.type) }
                    if value == nil { fits = false }
                    converted[field.name] = value ?? DynamicValue.none
                }
                moments[number].records[id] = converted
            }
            if !fits { unfit.append(moments.remove(at: number).position) }
        }
    }
}
