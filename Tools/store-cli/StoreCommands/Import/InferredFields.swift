import StoreEngine

/// The fields of objects or rows, in the order in which they were first seen, with what their values have in common.
struct InferredFields {
    private var names: [String] = []
    private var places: [String: Int] = [:]
    private var types: [InferredType] = []
    private var counts: [Int] = []
    private var rows = 0

    /// The number of fields.
    var count: Int { names.count }

    /// The names, in order.
    var fieldNames: [String] { names }

    /// Takes in an object.
    mutating func add(_ members: [JSONMember], line: Int, depth: Int) {
        rows += 1
        for member in members {
            let place = place(of: member.key, isText: false, depth: depth)
            counts[place] += 1
            types[place].add(member.value, line: line)
        }
    }

    /// Takes in a record of CSV.
    mutating func add(_ cells: [CSVField], columns: [String], line: Int) {
        rows += 1
        for (name, cell) in zip(columns, cells) {
            let place = place(of: name, isText: true, depth: 0)
            counts[place] += 1
            types[place].add(cell, line: line)
        }
    }

    /// What is known of a field.
    func type(of name: String) -> InferredType? { places[name].map { types[$0] } }

    /// The fields; those that are not in every row are optional, but for the required ones.
    func fields(required: Set<String>) -> [FieldSchema] {
        names.indices.map { place in
            let isOptional = !required.contains(names[place]) && (counts[place] < rows || types[place].hasNone)
            let type = types[place].type
            return FieldSchema(
                name: names[place], type: isOptional ? .optional(type) : type, defaultValue: nil, renamedFrom: [])
        }
    }

    private mutating func place(of name: String, isText: Bool, depth: Int) -> Int {
        if let place = places[name] { return place }
        places[name] = names.count
        names.append(name)
        types.append(InferredType(isText: isText, depth: depth))
        counts.append(0)
        return names.count - 1
    }
}
