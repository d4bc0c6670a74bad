import Foundation
import StoreEngine

/// A record with an assigned id, defaults that the transaction fills in, and unique indexes over an optional field and over two
/// fields. It spells out the code that `@Record` generates.
struct Ticket: Record, Hashable {
    var id: Int = 0
    var code: String?
    var owner: String
    var rank: Int32
    var payload = Data()
    var tags: [String] = []
    var opened: Date = .transactionTime
    var token: UUID = .newID

    struct Fields: Sendable {
        let id = Field<Ticket, Int>(0, "id", get: { $0.id }, set: { $0.id = $1 })
        let code = Field<Ticket, String?>(1, "code", get: { $0.code }, set: { $0.code = $1 })
        let rank = Field<Ticket, Int32>(3, "rank", get: { $0.rank }, set: { $0.rank = $1 })
    }

    struct UniqueFields: Sendable {
        let code = Field<Ticket, String?>(1, "code", get: { $0.code }, set: { $0.code = $1 })
    }

    static let fields = Fields()
    static let uniqueFields = UniqueFields()

    static let recordSchema = RecordSchema(
        name: "Ticket",
        fields: [
            FieldSchema("id", Int.self, default: 0), FieldSchema("code", String?.self),
            FieldSchema("owner", String.self), FieldSchema("rank", Int32.self),
            FieldSchema("payload", Data.self, default: Data()), FieldSchema("tags", [String].self, default: []),
            FieldSchema("opened", Date.self, token: .now), FieldSchema("token", UUID.self, token: .newID),
        ],
        id: IDSchema([0], isAssigned: true),
        indexes: [IndexSchema([1], isUnique: true), IndexSchema([2, 3], isUnique: true), IndexSchema([3])])

    var recordID: Int { id }

    init(id: Int = 0, code: String? = nil, owner: String, rank: Int32, payload: Data = Data(), tags: [String] = []) {
        self.id = id
        self.code = code
        self.owner = owner
        self.rank = rank
        self.payload = payload
        self.tags = tags
    }

    func encode(to encoder: inout FieldEncoder) throws(CodecError) {
        try encoder.encode(id)
        try encoder.encode(code)
        try encoder.encode(owner)
        try encoder.encode(rank)
        try encoder.encode(payload)
        try encoder.encode(tags)
        try encoder.encode(opened)
        try encoder.encode(token)
    }

    init(from decoder: borrowing FieldDecoder) throws(CodecError) {
        id = try decoder.decode(0)
        code = try decoder.decode(1)
        owner = try decoder.decode(2)
        rank = try decoder.decode(3)
        payload = try decoder.decode(4)
        tags = try decoder.decode(5)
        opened = try decoder.decode(6)
        token = try decoder.decode(7)
    }
}
