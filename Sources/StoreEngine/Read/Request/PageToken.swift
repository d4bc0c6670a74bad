import Foundation
import LMDB

/// The position of a page's last row in the order of its request: the values of the fields that order the request, and the row's
/// id.
///
/// A token stays valid when records are written, including the last row itself. The next page begins with the first row that
/// comes after the position at that time. The text of a token has letters, digits, `-` and `_`, so a server can hand it to a
/// client.
///
/// A token is neither secret nor signed. It contains the values, and a client that makes up a token receives rows from another
/// position of the same request.
public struct PageToken: Hashable, Sendable {
    /// Identifies the request and the schema that the token is valid for.
    let fingerprint: UInt64
    /// The encoded values of the fields that order the request; nil for a field without a value.
    let values: [[UInt8]?]
    /// The encoded values of the id's fields.
    let id: [[UInt8]]

    /// The first byte of the text form. It distinguishes this format from later ones.
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
        guard try reader.read(UInt8.self) == Self.format else { throw CodecError("its form is unknown") }
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
    /// Throws unless the token belongs to this request.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    func requireFit(_ request: Request, of type: OpenType, in catalog: Catalog) throws(StoreError) {
        guard fingerprint == request.fingerprint(type, in: catalog) else {
            throw StoreError(
                .invalidValue, "the page token belongs to another request, or to another schema of \(type.name)",
                remedy: "pass it to the request that created it, or begin at the first page")
        }
    }
}

extension PageToken: LosslessStringConvertible {
    /// The token as text, from which `init(_:)` creates the token again.
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

    /// Creates the token from its text; nil where the text is not a token.
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
    /// Decodes a token from its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = PageToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is not a page token")
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
    /// Returns a hash of all that a position depends on: the condition, the order, and the types of the order's and the id's
    /// fields.
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
