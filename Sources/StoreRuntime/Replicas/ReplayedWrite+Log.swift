import StoreEngine

extension ReplayedWrite {
    /// Returns the writes that apply an entry of a log. The last of them writes the replica state.
    static func all(of entry: LoggedEntry, keeping replica: [UInt8]) throws -> [ReplayedWrite] {
        var writes: [ReplayedWrite] = []
        for set in entry.changeSets {
            let decoded: FeedEntry
            do throws(CodecError) {
                decoded = unsafe try FeedEntry(
                    sequence: set.sequence, hash: set.hash, stream: set.stream.span.bytes)
            } catch {
                throw StoreError(error, at: "change set \(set.sequence) of the log")
            }
            let content: Content
            switch decoded.changes.first {
            case let change? where change.kind == .schema: content = .schema(try decodedType(change, set.sequence))
            case let change? where change.kind == .reset: content = .reset(type: change.type)
            default: content = .closure { transaction in try transaction.apply(decoded) }
            }
            var write = ReplayedWrite(
                time: decoded.time, originName: decoded.origin.storedName, processID: decoded.origin.processID,
                epoch: decoded.epoch, content)
            write.expected = Expected(sequence: set.sequence, hash: set.hash)
            writes.append(write)
        }
        // The last write, which is a commit of its own after a change of the schema. If the process is killed before it, the next
        // one applies the entry again, and leaves out its change sets.
        writes.append(keep(entry, replica))
        return writes
    }

    private static func decodedType(_ change: FeedChange, _ sequence: UInt64) throws(StoreError) -> RecordType {
        do {
            return try change.describedType()
        } catch {
            throw StoreError(error, at: "change set \(sequence) of the log")
        }
    }
}
