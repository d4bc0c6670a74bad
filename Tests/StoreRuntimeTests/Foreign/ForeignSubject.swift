import StoreEngine
import StoreRuntime

/// An observer of a store that this process and another write to. The tests compare it with fresh reads.
protocol ForeignSubject: AnyObject {
    /// Compares the observer's state at the view's position with a fresh read there.
    func look(in view: borrowing ReadView) throws

    /// Drops the last seen state, because steps without a check follow.
    func forget()

    /// Receives the pending updates. The caller ensures that every commit is published and that no write is running.
    func follow(in store: Store) async throws
}

extension ForeignSubject {
    func forget() {}
}

/// A record compared by its encoded fields. Equal NaNs compare equal, and two Unicode forms of one text differ.
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

    /// Clears the fields at all other indexes.
    mutating func keep(_ isKept: (Int) -> Bool) {
        for place in fields.indices where !isKept(place) { fields[place] = [] }
    }

    static func all<R: Record>(_ records: some Sequence<R>) throws -> [ExactRecord] {
        try records.map { try ExactRecord($0) }
    }
}

extension FetchRequest {
    /// Returns the same request, ordered by id if it has no order.
    func ordered(in store: Store) throws -> FetchRequest {
        var result = self
        if request.order.isEmpty {
            result.request.order = store.recordTypes[try store.typeIndex(named: R.recordSchema.name)].orderOfIDs
        }
        return result
    }
}

extension RecordType {
    /// The fields that form the id.
    var fieldsOfID: [StoredField] { fields.filter { idFields.contains($0.id) } }

    /// The order of live query results whose request names none.
    var orderOfIDs: [SortTerm] { fieldsOfID.map { SortTerm(FieldName([$0.name])) } }
}
