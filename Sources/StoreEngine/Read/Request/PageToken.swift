import Foundation

/// Where the last row of a page stands in the order of its request: by the values that order it, and its id.
///
/// It stays good when records are written, that one too: the next page begins with what comes behind it then. It is a
/// text of letters, digits, `-` and `_`, to be handed to whoever asks for the next page. It is neither secret nor signed:
/// it holds those values, and whoever makes one up gets rows from another place of the same request.
public struct PageToken: Hashable, Sendable {
    /// What the request and the schema have to be.
    let fingerprint: UInt64
    /// The values of the fields that order the request, nil for none, as records have them.
    let values: [[UInt8]?]
    /// The values of the id's fields.
    let id: [[UInt8]]

    /// Written first, so that a later form can be told apart.
    private static let format: UInt8 = 1

    init(
        _ fingerprint: UInt64, _ table: FieldTable, order: [SortPart], idParts: [KeyPart], in scope: ReadContext
    ) throws {
        self.fingerprint = fingerprint
        values = try order.map { try $0.value(table, scope) }
        var id: [[UInt8]] = []
        for part in idParts { id.append(try table.field(part.fieldIndex).array()) }
        self.id = id
    }

    private init(from bytes: RawSpan) throws(CodecError) {
        var reader = ByteReader(bytes)
        guard try reader.read(UInt8.self) == Self.format else { throw CodecError("its form is not known") }
        fingerprint = try reader.read(UInt64.self)
        var values: [[UInt8]?] = []
        for _ in 0..<(try reader.readLength()) {
            values.append(try reader.read(UInt8.self) == 0 ? nil : reader.readLengthPrefixed().array())
        }
        self.values = values
        var id: [[UInt8]] = []
        while !reader.isAtEnd { id.append(try reader.readLengthPrefixed().array()) }
        self.id = id
    }
}

extension PageToken {
    /// Fails unless the token is one of this request.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func requireFit(_ request: Request, of type: OpenType, in catalog: Catalog) throws(StoreError) {
        guard fingerprint == request.fingerprint(type, in: catalog) else {
            throw StoreError(
                .invalidValue, "the page token is one of another request, or of another schema of \(type.name)",
                remedy: "give it to the request that it came from, or begin at the first page")
        }
    }
}

extension PageToken: LosslessStringConvertible {
    /// The token as text.
    public var description: String {
        var writer = ByteWriter(capacity: 64)
        writer.append(byte: Self.format)
        writer.append(fingerprint)
        writer.append(varint: UInt64(values.count))
        for value in values {
            writer.append(byte: value == nil ? 0 : 1)
            if let value { unsafe writer.append(lengthPrefixed: value.span.bytes) }
        }
        for value in id { unsafe writer.append(lengthPrefixed: value.span.bytes) }
        return Data(writer.array()).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The token that a text spells; nil for another text.
    public init?(_ description: String) {
        let padding = String(repeating: "=", count: (4 - description.utf8.count % 4) % 4)
        let text = description.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: text) else { return nil }
        do {
            unsafe try self.init(from: Array(data).span.bytes)
        } catch {
            return nil
        }
    }
}

extension PageToken: Codable {
    /// Decodes the text of a token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = PageToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no page token")
        }
        self = token
    }

    /// Encodes the token as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Request {
    /// A hash of all that a position depends on: the condition, the order, and the types of the fields of order and id.
    func fingerprint(_ type: OpenType, in catalog: Catalog) -> UInt64 {
        var parts = [type.name, condition.text]
        for term in order(of: type) {
            let path = try? ReferencePath(term.field, from: type, in: catalog)
            let access = try? path?.access ?? FieldAccess(term.field, of: type.type)
            parts.append("\(term.field.text) \(term.isDescending) \(access.map { "\($0.type)" } ?? "")")
        }
        parts += type.idParts.map { "\(type.type.fields[$0.fieldIndex].name) \(type.type.fields[$0.fieldIndex].type)" }
        return unsafe XXH64.hash(Array(parts.joined(separator: "\n").utf8).span.bytes, seed: 0)
    }
}
