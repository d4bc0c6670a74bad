import ChildPrograms
import ModelStore
import Testing

/// Writes in a history, and their entries in the list.
extension FeedModelRun {
    struct Operation {
        let id: String
        /// The new content; nil deletes the record.
        let value: PlainSensor?
    }

    func write() async throws {
        try await write((0..<Int.random(in: 1...5, using: &random)).map { _ in randomOperation() })
    }

    /// Writes or deletes many records at once.
    func writeMany() async throws {
        let isThere = sensors["l000"] != nil
        try await write(
            (0..<150).map { number in
                let id = "l" + String(number + 1_000).dropFirst()
                return Operation(id: id, value: isThere ? nil : PlainSensor(celsius: Double(number % 3)))
            })
    }

    /// Writes a record that passes every filter.
    ///
    /// - Returns: The number of its change set.
    func writeMark() async throws -> UInt64 {
        markCount += 1
        try await write([Operation(id: "mark", value: PlainSensor(celsius: Double(10 + markCount)))], isMark: true)
        return newest
    }

    private func write(_ operations: [Operation], isMark: Bool = false) async throws {
        let writer = SensorVersion.allCases[Int.random(in: 0...version.rawValue, using: &random)]
        let position = try await store.write(returning: .position) { tx in
            for step in operations {
                if let value = step.value {
                    try writer.put(value, id: step.id, &tx)
                } else {
                    try writer.delete(id: step.id, &tx)
                }
            }
        }.position
        // The reset precedes the write in the feed, even if the write changes nothing.
        if isForeignPending { noteReset() }
        // Consumers may have counted in the meantime.
        if isMark { noteTallies(to: position.sequence - 1) }
        let changes = apply(operations, writer)
        if !changes.isEmpty { note(.changes(changes, position)) }
        #expect(position.sequence == newest, "seed \(seed)")
        positions.append(position)
    }

    private func randomOperation() -> Operation {
        let id = "s\(Int.random(in: 0..<8, using: &random))"
        if Int.random(in: 0..<4, using: &random) == 0 { return Operation(id: id, value: nil) }
        // Some records take more than one fragment of the feed.
        let lengths = [1, 1, 1, 1, 1, 1, 1, 70_000]
        let length = lengths.randomElement(using: &random) ?? 1
        let value = PlainSensor(
            celsius: Double(Int.random(in: 0..<3, using: &random)),
            note: Bool.random(using: &random) ? String(repeating: "n", count: length) : nil,
            level: Int.random(in: 0..<3, using: &random), tag: Bool.random(using: &random) ? "t" : "u")
        return Operation(id: id, value: value)
    }

    /// Adds to the list the counts that consumers have written up to a change set.
    func noteTallies(to sequence: UInt64) {
        while newest < sequence { note(.tally, origin: "consumer") }
    }

    /// Applies a write to the list.
    ///
    /// - Returns: The net changes.
    private func apply(_ operations: [Operation], _ writer: SensorVersion) -> [PlainChange] {
        var order: [String] = []
        var before: [String: PlainSensor?] = [:]
        for step in operations {
            let old = sensors[step.id]
            var new = step.value?.known(to: writer)
            // An older program keeps the fields that it does not know.
            if let old, writer == .first { new?.level = old.level }
            if let old, writer != .widest { new?.tag = old.tag }
            if new != old, before[step.id] == nil {
                order.append(step.id)
                before[step.id] = .some(old)
            }
            sensors[step.id] = new
        }
        return order.compactMap { id in
            let old = before[id] ?? nil
            guard old != sensors[id] else { return nil }
            if old == nil || sensors[id] == nil { lives[id, default: 0] += 1 }
            return PlainChange(id: id, before: old, after: sensors[id])
        }
    }

    // MARK: Foreign writes

    func foreignWrite() async throws {
        guard let writer = foreign else { return }
        if !sensors.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
            return try keep(writer)
        }
        // In some runs a reader waits during this foreign write and all later ones.
        isWatched = isWatched || !isForeignPending && Int.random(in: 0..<3, using: &random) == 0
        let waiting = isWatched ? try await waitingReader() : nil
        if let old = kept.randomElement(using: &random), lives[old.id, default: 0] == old.life,
            sensors[old.id] != nil
        {
            try writer.putBack(old.name, to: path)
            sensors[old.id] = old.value
        } else {
            try writer.write(to: path)
        }
        isForeignPending = true
        guard let waiting else { return }
        let sequence = try await waiting.value
        #expect(sequence == newest + 1, "seed \(seed)")
        noteReset()
        positions.append(try store.position)
    }

    private func keep(_ writer: ForeignWriter) throws {
        guard let (id, value) = sensors.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
        let old = Kept(name: "\(seed).\(kept.count)", id: id, value: value, life: lives[id, default: 0])
        try writer.keep(old.name, from: path, "records.1", keyPrefix: id)
        kept.append(old)
    }

    /// Starts a reader that waits for the next reset.
    private func waitingReader() async throws -> Task<UInt64, any Error> {
        let feed = store.changes(from: .newest)
        return Task {
            for try await set in feed where set.isReset(Sensor.self) { return set.sequence }
            return 0
        }
    }
}
