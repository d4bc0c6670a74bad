/// An action as recorded in the feed: a program's intention, with everything that a replay needs to run it again.
public struct RecordedAction: Sendable, Hashable {
    /// The action's name, which determines its type.
    public let name: String
    /// The action, as one JSON value in UTF-8.
    public let payload: [UInt8]
    /// The action's result, as one JSON value in UTF-8; nil if it returned nothing.
    public let result: [UInt8]?
    /// The initial state of the transaction's random stream, from which its random numbers and identifiers come.
    package let seed: UInt64

    package init(name: String, payload: [UInt8], result: [UInt8]?, seed: UInt64) {
        self.name = name
        self.payload = payload
        self.result = result
        self.seed = seed
    }
}

extension RecordedAction {
    /// The maximum length of a name in bytes.
    package static let maximumNameByteCount = 255

    init(from reader: inout ByteReader) throws(CodecError) {
        name = try String(from: reader.readLengthPrefixed())
        payload = try reader.readLengthPrefixed().array()
        let mark = try reader.read(UInt8.self)
        guard mark <= 1 else { throw CodecError("the mark of an action's result is neither 0 nor 1") }
        result = mark == 1 ? try reader.readLengthPrefixed().array() : nil
        seed = try reader.read(UInt64.self)
    }

    func append(to stream: inout ByteWriter) {
        stream.append(varint: UInt64(name.utf8.count))
        stream.append(utf8: name)
        unsafe stream.append(lengthPrefixed: payload.span.bytes)
        stream.append(byte: result == nil ? 0 : 1)
        if let result { unsafe stream.append(lengthPrefixed: result.span.bytes) }
        stream.append(seed)
    }
}

extension WriteTransaction {
    /// Notes that this closure runs an action. The action is written with the change set, even if the change set is empty.
    ///
    /// - Throws: ``StoreError``: `invalidValue` for a name that is empty or too long; `tooLarge` for a payload or result above
    ///   the limit `recordByteCount`; `transactionMisused` when the closure has already noted an action.
    package mutating func note(_ new: RecordedAction) throws(StoreError) {
        guard action == nil else {
            throw StoreError(
                .transactionMisused, "two actions, \(action?.name ?? "") and \(new.name), were sent in one write",
                remedy: "call the `run` of one action in the `run` of the other")
        }
        guard 1...RecordedAction.maximumNameByteCount ~= new.name.utf8.count else {
            throw StoreError(
                .invalidValue, "an action's name has \(new.name.utf8.count) bytes",
                remedy: "use a name of 1 to \(RecordedAction.maximumNameByteCount) bytes")
        }
        let byteCount = Swift.max(new.payload.count, new.result?.count ?? 0)
        guard byteCount <= state.limits.recordByteCount else {
            throw StoreError(
                .tooLarge,
                "the action \(new.name) takes \(byteCount) bytes, but at most \(state.limits.recordByteCount) are allowed",
                remedy: "refer to large data instead of carrying it, or raise the limit recordByteCount")
        }
        action = new
    }
}
