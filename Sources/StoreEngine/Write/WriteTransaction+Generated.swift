import Foundation

extension WriteTransaction {
    /// Fills in the generated parts of the id of the record in `encoder`, because its key needs them.
    mutating func fillGeneratedID(of type: OpenType) throws(StoreError) {
        do {
            if let fieldIndex = type.assignedFieldIndex { try assignID(of: type, fieldIndex: fieldIndex) }
            for (fieldIndex, token) in type.tokens where type.isPartOfID(fieldIndex) {
                if let start = try Self.tokenStart(token, fieldIndex, encoder) { fill(token, at: start) }
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.invalidValue, "a record of \(type.name) has a wrong encoding: \(error)")
        }
    }

    /// Replaces the default tokens in the record in `encoder`. If a record is stored, its values in `oldRecord` replace them,
    /// because a default applies only to an insert. Otherwise the values of the transaction replace them.
    mutating func replaceTokens(of type: OpenType, isStored: Bool) throws(StoreError) {
        do {
            for (fieldIndex, token) in type.tokens {
                guard let start = try Self.tokenStart(token, fieldIndex, encoder) else { continue }
                if isStored, try Self.keep(token, fieldIndex, of: oldRecord, in: &encoder, at: start) { continue }
                fill(token, at: start)
            }
        } catch {
            throw StoreError(.invalidValue, "a record of \(type.name) has a wrong encoding: \(error)")
        }
    }

    private mutating func fill(_ token: DefaultToken, at start: Int) {
        switch token {
        case .now: encoder.overwrite(integer: now.timeIntervalSinceReferenceDate.bitPattern, at: start)
        case .newID:
            let fresh = newID().bigEndianWords
            encoder.overwrite(integer: fresh.high.byteSwapped, at: start)
            encoder.overwrite(integer: fresh.low.byteSwapped, at: start + 8)
        }
    }

    /// Returns the offset of the token's bytes in the encoded record; nil if the field holds another value. In an optional field,
    /// one byte precedes them.
    private static func tokenStart(
        _ token: DefaultToken, _ fieldIndex: Int, _ encoder: borrowing FieldEncoder
    ) throws(CodecError) -> Int? {
        let range = try encoder.range(ofField: fieldIndex)
        let size = token.byteCount
        guard range.count == size || range.count == size + 1 else { return nil }
        let start = range.upperBound - size
        switch token {
        case .now:
            let bits = try encoder.integer(at: start, as: UInt64.self)
            return bits == DefaultToken.nowSeconds.bitPattern ? start : nil
        case .newID:
            let words = DefaultToken.newIDWords
            let high = try encoder.integer(at: start, as: UInt64.self)
            let low = try encoder.integer(at: start + 8, as: UInt64.self)
            return high == words.high.byteSwapped && low == words.low.byteSwapped ? start : nil
        }
    }

    /// Copies a stored field over a token. Returns false if the stored record has no value in that field.
    private static func keep(
        _ token: DefaultToken, _ fieldIndex: Int, of old: borrowing ByteWriter, in encoder: inout FieldEncoder,
        at start: Int
    ) throws(CodecError) -> Bool {
        let field = try RecordBytes(unverified: old.bytes).table.field(fieldIndex)
        guard field.byteCount >= token.byteCount else { return false }
        encoder.overwrite(field.extracting(last: token.byteCount), at: start)
        return true
    }

    // Zero requests the next id. Any other value raises the greatest assigned id, so that the store never assigns that value
    // again.
    private mutating func assignID(of type: OpenType, fieldIndex: Int) throws {
        let range = try encoder.range(ofField: fieldIndex)
        let given = try AssignedID(type.type.fields[fieldIndex].type, encoder, range)
        let last = try greatestAssigned(type)
        guard given.isZero else {
            if let value = given.positiveValue, value > last { assigned[type.type.id] = value }
            return
        }
        guard last < given.greatest else {
            throw StoreError(
                .tooLarge,
                "\(type.name) has used the greatest possible id, \(given.greatest), so the store cannot assign another",
                remedy: "set the ids in the program, or use a wider integer type")
        }
        assigned[type.type.id] = last + 1
        switch range.count {
        case 1: encoder.overwrite(integer: UInt8(truncatingIfNeeded: last + 1), at: range.lowerBound)
        case 2: encoder.overwrite(integer: UInt16(truncatingIfNeeded: last + 1), at: range.lowerBound)
        case 4: encoder.overwrite(integer: UInt32(truncatingIfNeeded: last + 1), at: range.lowerBound)
        default: encoder.overwrite(integer: last + 1, at: range.lowerBound)
        }
    }

    private func greatestAssigned(_ type: OpenType) throws(StoreError) -> UInt64 {
        if let known = assigned[type.type.id] { return known }
        return try _reading.greatestAssignedID(of: type)
    }

    /// Ensures that the store never assigns an id up to `id`. A store that continues the records of another store needs this.
    package mutating func keepAssignedIDs(above id: UInt64, typeIndex: Int) throws(StoreError) {
        let type = state.catalog.types[typeIndex]
        if try id > greatestAssigned(type) { assigned[type.type.id] = id }
    }
}

extension ReadContext {
    /// Returns the greatest id that the store has assigned for a type, or that a program has inserted; 0 before the first.
    package func greatestAssignedID(of type: OpenType) throws(StoreError) -> UInt64 {
        let key = MetadataKey.assigned(type: type.type.id)
        guard let bytes = unsafe try value(state.databases.metadata, key: key.span.bytes) else { return 0 }
        do {
            return try UInt64(from: bytes)
        } catch {
            throw StoreError(error, at: "the greatest assigned id of \(type.name)")
        }
    }
}

/// An id that the store assigns, read from its encoded field.
private struct AssignedID {
    let isZero: Bool
    /// The value; nil if it is negative.
    let positiveValue: UInt64?
    /// The greatest value of the field's type.
    let greatest: UInt64

    init(_ type: FieldType, _ encoder: borrowing FieldEncoder, _ range: Range<Int>) throws(CodecError) {
        let start = range.lowerBound
        let value: UInt64 =
            switch range.count {
            case 1: UInt64(try encoder.integer(at: start, as: UInt8.self))
            case 2: UInt64(try encoder.integer(at: start, as: UInt16.self))
            case 4: UInt64(try encoder.integer(at: start, as: UInt32.self))
            default: try encoder.integer(at: start, as: UInt64.self)
            }
        let isSigned = [.int8, .int16, .int32, .int64].contains(type.rawType)
        let all = UInt64.max >> UInt64(64 - 8 * min(range.count, 8))
        greatest = isSigned ? all >> 1 : all
        isZero = value == 0
        positiveValue = value <= greatest ? value : nil
    }
}
