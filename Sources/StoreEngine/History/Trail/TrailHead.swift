/// The range of change sets that the trail covers, and its settings.
///
/// The trail is a database that remembers, for each record, the last change set that changed it. It covers change sets that have
/// left the feed.
///
/// ```
/// u8      format, 1
/// u64     limit: the maximum number of remembered records
/// u64     floor: the trail knows all records that changed after this change set
/// u64     noted: the newest change set that the trail covers
/// u64     number of remembered records
/// varint  number of epochs, then for each, oldest first:
///   u64     epoch
///   u64     the newest change set when it began
/// ```
package struct TrailHead: Hashable, Sendable {
    /// The beginning of an epoch.
    package struct EpochStart: Hashable, Sendable {
        package let epoch: UInt64
        /// The newest change set at that time.
        package let sequence: UInt64

        package init(epoch: UInt64, sequence: UInt64) {
            self.epoch = epoch
            self.sequence = sequence
        }
    }

    /// The maximum number of remembered records.
    package var limit: UInt64
    /// The trail knows all records that changed after this change set, up to ``noted``.
    package var floor: UInt64
    /// The newest change set that the trail covers.
    package var noted: UInt64
    /// The number of remembered records.
    package var count: UInt64 = 0
    /// The known epochs in which change sets after the floor were written, oldest first.
    package private(set) var epochs: [EpochStart] = []

    private static let format: UInt8 = 1
    /// The maximum number of epochs to keep. For a position before the oldest of them, the trail cannot check the epoch.
    private static let epochLimit = 64

    /// Creates the head of a trail that begins after the change set `floor`.
    package init(limit: UInt64, floor: UInt64, epochs: [EpochStart]) {
        self.epochs = epochs
        self.limit = limit
        self.floor = floor
        noted = floor
    }

    package init(from bytes: RawSpan) throws(CodecError) {
        var reader = ByteReader(bytes)
        let format = try reader.read(UInt8.self)
        guard format == TrailHead.format else { throw CodecError("the trail has the format \(format)") }
        limit = try reader.read()
        floor = try reader.read()
        noted = try reader.read()
        count = try reader.read()
        let epochCount = try reader.readVarint()
        guard epochCount <= UInt64(TrailHead.epochLimit) else { throw CodecError("the trail has \(epochCount) epochs") }
        for _ in 0..<epochCount {
            epochs.append(EpochStart(epoch: try reader.read(), sequence: try reader.read()))
        }
        guard reader.isAtEnd else { throw CodecError("the trail's head has \(reader.remaining) bytes too many") }
        guard floor <= noted, noted < .max else {
            throw CodecError("the trail begins after \(floor) and ends with \(noted)")
        }
        let isAscending = zip(epochs, epochs.dropFirst()).allSatisfy { $0.sequence <= $1.sequence }
        guard isAscending, Set(epochs.map(\.epoch)).count == epochs.count else {
            throw CodecError("the epochs of the trail are not in ascending order, each once")
        }
    }

    package func encode(to writer: inout ByteWriter) {
        writer.append(byte: TrailHead.format)
        for number in [limit, floor, noted, count] { writer.append(number) }
        writer.append(varint: UInt64(epochs.count))
        for start in epochs {
            writer.append(start.epoch)
            writer.append(start.sequence)
        }
    }

    /// Notes the beginning of an epoch.
    mutating func begin(_ epoch: EpochStart) {
        epochs.append(epoch)
        if epochs.count > TrailHead.epochLimit { epochs.removeFirst() }
    }

    /// Notes the epoch of a change set that the trail adds, if its beginning is not noted yet. A replica takes over the epochs of
    /// its original this way.
    mutating func note(epoch: UInt64, of sequence: UInt64) {
        guard let first = epochs.first, sequence > first.sequence, !epochs.contains(where: { $0.epoch == epoch }) else {
            return
        }
        begin(EpochStart(epoch: epoch, sequence: sequence - 1))
        epochs.sort { $0.sequence < $1.sequence }
    }

    /// Checks that the floor is not past the newest change set taken up, and that the epochs are in ascending order, each once.
    /// It is empty in release builds.
    func _checkInvariants() {
        #if DEBUG
        precondition(floor <= noted, "the trail begins after \(floor) and ends with \(noted)")
        precondition(epochs.count <= TrailHead.epochLimit, "the trail has \(epochs.count) epochs")
        precondition(Set(epochs.map(\.epoch)).count == epochs.count, "the trail has an epoch twice")
        for (earlier, later) in zip(epochs, epochs.dropFirst()) {
            precondition(earlier.sequence <= later.sequence, "the epochs of the trail are not in ascending order")
        }
        #endif
    }

    /// Raises the floor, and forgets the epochs that ended below it.
    mutating func raise(to sequence: UInt64) {
        floor = max(floor, sequence)
        while epochs.count > 1, epochs[1].sequence < floor { epochs.removeFirst() }
    }

    /// Returns whether a position of an epoch can be a position after this change set. Before the oldest known epoch, any epoch
    /// is possible.
    func fits(epoch: UInt64, sequence: UInt64) -> Bool {
        guard let first = epochs.first, sequence > first.sequence else { return true }
        return epochs.indices.contains { index in
            // At the end of an epoch, positions of both epochs are valid: that of the original, and that of the copy.
            let end = index + 1 < epochs.count ? epochs[index + 1].sequence : .max
            return epochs[index].epoch == epoch && (epochs[index].sequence...end).contains(sequence)
        }
    }
}
