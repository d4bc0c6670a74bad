/// The comparison of calculations.
struct CalculationOfFields {
    var left: ArithmeticNode
    let comparison: Comparison
    var right: ArithmeticNode

    var node: ConditionNode { .arithmetic(left, comparison, right) }

    /// The names of all fields in it.
    var names: [FieldName] { left.fieldNames + right.fieldNames }
}

// Calculations whose fields are all of one record behind references.
extension ConditionResolver {
    /// The reference behind which all fields are, and what is calculated there; nil where they are those of the record
    /// itself.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` where they are of different records.
    func step(
        _ calculation: CalculationOfFields, _ subject: Subject
    ) throws(StoreError) -> (step: ReferenceStep, rest: CalculationOfFields)? {
        let names = calculation.names
        var rests: [FieldName: FieldName] = [:]
        var common: ReferenceStep?
        for name in names {
            guard let step = step(name, subject), common == nil || common?.field == step.field else { continue }
            common = step
            rests[name] = step.rest
        }
        guard let common else { return nil }
        if let other = names.first(where: { rests[$0] == nil }) {
            throw differentRecords("\(names.first { rests[$0] != nil } ?? other) and \(other)", subject)
        }
        var rest = calculation
        rest.left = calculation.left.renamed { rests[$0] ?? $0 }
        rest.right = calculation.right.renamed { rests[$0] ?? $0 }
        return (common, rest)
    }

    /// Whether a calculation on a record of a type, or on one behind it, holds where there is no such record.
    func holdsForNothing(_ calculation: CalculationOfFields, _ typeIndex: Int) throws(StoreError) -> Bool {
        if let (step, rest) = try step(calculation, .record(typeIndex)) {
            return try holdsForNothing(rest, step.reference.target)
        }
        let type = catalog.types[typeIndex].type
        let compiled = try CompiledArithmetic(
            calculation.left, calculation.comparison, calculation.right, of: type)
        do throws(CodecError) {
            return try compiled.holdsForNothing()
        } catch {
            throw StoreError(error, at: "a calculation on \(type.name)")
        }
    }
}
