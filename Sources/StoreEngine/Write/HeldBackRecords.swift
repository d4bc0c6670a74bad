/// Records that a batch cannot store yet, because other records still hold their unique values. The batch stores them at its end,
/// when other records have given up these values.
package struct HeldBackRecords: Sendable {
    package struct Entry: Sendable {
        let typeIndex: Int
        let key: [UInt8]
        /// The fields, without a header.
        let fields: [UInt8]
        /// The caller's name of the record, such as a line of a file.
        package let tag: Int
    }

    private struct Key: Hashable {
        let typeIndex: Int
        let bytes: [UInt8]
    }

    private var numbers: [Key: Int] = [:]
    private var records: [Entry?] = []

    package init() {}

    var isEmpty: Bool { numbers.isEmpty }

    /// The records, in the order in which they were held back.
    package var entries: [Entry] { records.compactMap(\.self) }

    /// Adds a record. It replaces an earlier one with the same id.
    mutating func add(_ entry: Entry) {
        remove(entry.typeIndex, key: entry.key)
        numbers[Key(typeIndex: entry.typeIndex, bytes: entry.key)] = records.count
        records.append(entry)
    }

    /// Removes the record with a key, because the batch has stored a later version of it.
    mutating func remove(_ typeIndex: Int, key: [UInt8]) {
        guard let number = numbers.removeValue(forKey: Key(typeIndex: typeIndex, bytes: key)) else { return }
        records[number] = nil
    }
}

extension WriteTransaction {
    /// Stores the record in the encoder. If another record holds one of its unique values, this method holds the record back, and
    /// deletes its earlier version, so that other records can have its values. The caller stores it after all others.
    ///
    /// The record keeps its position among the changes.
    ///
    /// - Throws: ``StoreError``: as `put`, except `uniqueViolation`.
    mutating func put(
        _ typeIndex: Int, mode: WriteMode, holdingBack held: inout HeldBackRecords, tag: Int = 0
    ) throws(StoreError) {
        do {
            try put(typeIndex, mode: mode)
            if !held.isEmpty { held.remove(typeIndex, key: recordKey.array()) }
            return
        } catch {
            guard error.code == .uniqueViolation else { throw error }
        }
        let isStored = mode == .insert ? false : try deleteAlone(typeIndex)
        if !isStored {
            let address = changes.address(type: typeIndex, key: recordKey)
            if changes.findRemoved(address, key: recordKey) == nil {
                changes.remove(changes.add(address, key: recordKey))
            }
        }
        held.add(
            HeldBackRecords.Entry(
                typeIndex: typeIndex, key: recordKey.array(), fields: encoder.tableBytes.array(), tag: tag))
    }

    /// Stores a record that was held back.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation` if another record still holds one of its unique values; otherwise as `put`.
    package mutating func put(_ entry: HeldBackRecords.Entry) throws(StoreError) {
        do {
            try encoder.encode(fieldsOf: entry.fields)
        } catch {
            throw StoreError(error, at: "a record of \(state.catalog.types[entry.typeIndex].name)")
        }
        try put(entry.typeIndex, mode: .insert)
    }
}
