import Foundation

extension WriteTransaction {
    /// Fills in the assigned id and the default tokens of the record in `encoder`.
    mutating func fillGeneratedFields(of type: OpenType) throws(StoreError) {
        do {
            if let place = type.assignedPlace { try assignID(of: type, place: place) }
            for (place, token) in type.tokens { try fill(token, at: place) }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.invalidValue, "a record of \(type.name) is not encoded well: \(error)")
        }
    }

    private mutating func fill(_ token: DefaultToken, at place: Int) throws(CodecError) {
        let range = try encoder.range(ofField: place)
        let start = range.lowerBound
        switch token {
        case .now:
            guard range.count == 8,
                try encoder.integer(at: start, as: UInt64.self) == DefaultToken.nowSeconds.bitPattern
            else {
                return
            }
            encoder.overwrite(integer: now.timeIntervalSinceReferenceDate.bitPattern, at: start)
        case .newID:
            let words = DefaultToken.newIDWords
            guard range.count == 16, try encoder.integer(at: start, as: UInt64.self) == words.high.byteSwapped,
                try encoder.integer(at: start + 8, as: UInt64.self) == words.low.byteSwapped
            else { return }
            let fresh = newID().bigEndianWords
            encoder.overwrite(integer: fresh.high.byteSwapped, at: start)
            encoder.overwrite(integer: fresh.low.byteSwapped, at: start + 8)
        }
    }

    // Zero asks for the next id; any other raises the greatest one, so that it is never given out again.
    private mutating func assignID(of type: OpenType, place: Int) throws {
        let range = try encoder.range(ofField: place)
        let given = try AssignedID(type.type.fields[place].type, encoder, range)
        let last = try greatestAssigned(type)
        guard given.isZero else {
            if let value = given.positiveValue, value > last { assigned[type.type.id] = value }
            return
        }
        guard last < given.greatest else {
            throw StoreError(
                .tooLarge, "all ids of \(type.name) up to \(given.greatest) have been assigned",
                remedy: "give the id a wider integer type")
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
        let key = MetadataKey.assigned(type: type.type.id)
        guard let bytes = unsafe try _reading.value(state.databases.metadata, key: key.span.bytes) else { return 0 }
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
    /// The value, nil when it is negative.
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
