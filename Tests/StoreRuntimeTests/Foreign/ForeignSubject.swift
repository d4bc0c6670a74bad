import StoreEngine
import StoreRuntime

/// Something that observes a store while this process and another write to it, and is held against fresh reads.
protocol ForeignSubject: AnyObject {
    /// Compares what is shown at a view's position with what is read there.
    func look(in view: borrowing ReadView) throws

    /// Forgets what was shown last: there will be steps that nobody looks at.
    func forget()

    /// Takes what its subscribers are sent, when all that was committed is shown and nothing else is being committed.
    func follow(in store: Store) async throws
}

extension ForeignSubject {
    func forget() {}
}

/// Records by their encoded fields: floats that are not numbers are equal then, and texts in two forms are not.
struct ExactRecord: Hashable {
    private(set) var fields: [[UInt8]]

    init<R: Record>(_ record: R) throws {
        let count = R.recordSchema.fields.count
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: count)
        try record.encode(to: &encoder)
        try encoder.finish()
        let table = try FieldTable(encoder.tableBytes)
        var fields: [[UInt8]] = []
        for place in 0..<count { fields.append(try table.field(place).array()) }
        self.fields = fields
    }

    /// Leaves out the fields at other places.
    mutating func keep(_ isKept: (Int) -> Bool) {
        for place in fields.indices where !isKept(place) { fields[place] = [] }
    }

    static func all<R: Record>(_ records: some Sequence<R>) throws -> [ExactRecord] {
        try records.map { try ExactRecord($0) }
    }
}

extension FetchRequest {
    /// The same, in an order in any case.
    func ordered(in store: Store) throws -> FetchRequest {
        var result = self
        if request.order.isEmpty {
            result.request.order = store.recordTypes[try store.typeIndex(named: R.recordSchema.name)].orderOfIDs
        }
        return result
    }
}

extension RecordType {
    /// The fields of the id.
    var fieldsOfID: [StoredField] { fields.filter { idFields.contains($0.id) } }

    /// The order in which live queries have what was asked for without one.
    var orderOfIDs: [SortTerm] { fieldsOfID.map { SortTerm(FieldName([$0.name])) } }
}
