import StoreEngine

/// The fields of objects or rows in the order of their first occurrence, each with the common type of its values.
struct InferredFields {
    private var names: [String] = []
    private var numbers: [String: Int] = [:]
    private var types: [InferredType] = []
    private var counts: [Int] = []
    private var rows = 0

    /// The number of fields.
    var count: Int { names.count }

    /// The names, in order.
    var fieldNames: [String] { names }

    /// Adds an object.
    mutating func add(_ members: [JSONMember], line: Int, depth: Int) {
        rows += 1
        for member in members {
            let number = number(of: member.key, isText: false, depth: depth)
            counts[number] += 1
            types[number].add(member.value, line: line)
        }
    }

    /// Adds a CSV record.
    mutating func add(_ cells: [CSVField], columns: [String], line: Int) {
        rows += 1
        for (name, cell) in zip(columns, cells) {
            let number = number(of: name, isText: true, depth: 0)
            counts[number] += 1
            types[number].add(cell, line: line)
        }
    }

    /// Returns the inferred type of a field.
    func type(of name: String) -> InferredType? { numbers[name].map { types[$0] } }

    /// Returns the fields. Those that are missing from some row are optional, except the required ones.
    func fields(required: Set<String>) -> [FieldSchema] {
        names.indices.map { number in
            let isOptional = !required.contains(names[number]) && (counts[number] < rows || types[number].hasNone)
            let type = types[number].type
            return FieldSchema(
                name: names[number], type: isOptional ? .optional(type) : type, defaultValue: nil, renamedFrom: [])
        }
    }

    private mutating func number(of name: String, isText: Bool, depth: Int) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = names.count
        names.append(name)
        types.append(InferredType(isText: isText, depth: depth))
        counts.append(0)
        return names.count - 1
    }
}
