import StoreEngine

/// The content of a record type at earlier positions, converted to the current form of the type.
struct EarlierContents {
    struct Moment {
        let position: Position
        var records: EvolvingModel.Records
    }

    private(set) var moments: [Moment] = []
    /// The positions with records that the newest migration could not convert. They stay here only until the next schema change,
    /// which may make the type compatible with them again.
    private(set) var unfit: [Position] = []

    /// Each moment's records get their own range of numbers, this many apart.
    private static let stride: Int64 = 1_000

    mutating func add(_ position: Position, _ records: EvolvingModel.Records) {
        moments.append(Moment(position: position, records: records))
        if moments.count > 6 { moments.remove(at: moments.count / 2) }
    }

    /// Changes all moments as a declaration changes a model with its records.
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

    /// Gives all records the fields of a model: drops other fields, and converts values to the types of the fields.
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
