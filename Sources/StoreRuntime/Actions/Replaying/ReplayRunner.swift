import LMDB
import StoreEngine

/// Replays change sets, many in one commit. It uses no child transactions, which could undo one change set alone: a change set
/// that cannot be replayed ends the replay. Runs on the writer thread.
struct ReplayRunner {
    let core: StoreCore

    /// The most attempts of a batch that finds the store full.
    private static let maximumFullPasses = 8

    private enum Pass {
        case committed([Position])
        case failed(at: Int, any Error)
        case full(StoreError)
    }

    /// Replays the change sets up to the first one that cannot be replayed.
    func run(_ writes: [ReplayedWrite]) throws -> ReplayedWrites {
        var done = ReplayedWrites()
        var rest = writes[...]
        while let first = rest.first, done.failure == nil {
            if case .schema = first.content {
                let changes = rest.prefix { $0.changesSchema(togetherWith: first) }
                rest = rest.dropFirst(changes.count)
                do {
                    try follow(changes, &done)
                } catch {
                    done.failure = error
                }
            } else {
                try commit(&rest, &done)
            }
        }
        return done
    }

    /// Makes the schema changes of one transaction in one commit, because their types can refer to each other.
    private func follow(_ writes: ArraySlice<ReplayedWrite>, _ done: inout ReplayedWrites) throws {
        let found = try position()
        let missing = try writes.drop { try $0.expected?.isThere(at: found.sequence, hash: found.hash) == true }
        done.positions += repeatElement(found, count: writes.count - missing.count)
        guard let first = missing.first else { return }
        let heads = try core.catalog.follow(missing, context: first.context, epoch: first.epoch)
        done.positions += heads.map { Position(store: core.state.identity, head: $0) }
    }

    private func position() throws -> Position {
        let transaction = try core.beginRead()
        return try transaction._reading.feedPosition()
    }

    /// Replays the change sets before the next schema change.
    private func commit(_ rest: inout ArraySlice<ReplayedWrite>, _ done: inout ReplayedWrites) throws {
        var batch = rest.prefix { if case .schema = $0.content { false } else { true } }
        rest = rest.dropFirst(batch.count)
        var fullCount = 0
        while !batch.isEmpty {
            switch try pass(batch) {
            case .committed(let positions):
                done.positions += positions
                return
            case .failed(let number, let error):
                // Replay the change sets before it again, without it.
                done.failure = error
                batch = batch.prefix(number)
            case .full(let failure):
                fullCount += 1
                if failure.code == .mapFull {
                    _ = try core.environment.double()
                } else if fullCount > Self.maximumFullPasses || !core.retention.makeRoom(trims: true) {
                    throw failure
                }
            }
        }
    }

    private func pass(_ writes: ArraySlice<ReplayedWrite>) throws -> Pass {
        let state = core.state
        var raw = try mapLMDB { () throws(LMDBError) in try core.environment.beginWrite(syncsMeta: false) }
        // The other replicas have these writes already.
        raw.useReserve()
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        let (first, now) = (head.sequence, writes.first?.time ?? core.options.clock())
        var positions: [Position] = []
        var entries: [WrittenEntry?] = []
        let isReplica = core.options.commitLog != nil
        var content = isReplica ? try ReadContext(snapshot: raw.snapshot, state: state).storedContentSum() : nil
        for (index, write) in writes.enumerated() {
            do {
                if try write.expected?.isThere(at: head.sequence, hash: head.hash) == true {
                    positions.append(Position(store: state.identity, head: head))
                    continue
                }
            } catch {
                return .failed(at: index, error)
            }
            switch write.content {
            case .schema: preconditionFailure("a schema change must be a commit of its own")
            case .reset(let type):
                head.epoch = write.epoch
                head = try FeedHousekeeping.append(
                    .reset, type: type, description: [], head, state.databases, write.context, &raw)
                entries.append(nil)
            case .state(_, let replica):
                do {
                    try StoreFormat.writeReplica(replica, state.databases, &raw)
                } catch {
                    if error.isFull { return .full(error) }
                    throw error
                }
            case .closure: head.epoch = write.epoch
            }
            if let body = write.content.body {
                switch ClosureEnd.run(
                    body, write.context, state, head, raw, keepsEntry: core.notifier.wantsEntries,
                    sumsContent: isReplica)
                {
                case .undone(let error): return .failed(at: index, error)
                case .full(let error, _): return .full(error)
                case .kept(let finished):
                    if head.sequence < finished.head.sequence { entries.append(finished.entry) }
                    head = finished.head
                    content? += finished.contentChange
                    raw = finished.intoRaw()
                }
            }
            do {
                try write.expected?.require(at: head.sequence, hash: head.hash)
                if case .state(let entry, _) = write.content, let expected = entry.contentSum {
                    let found = try content ?? ReadContext(snapshot: raw.snapshot, state: state).contentSum()
                    guard found == expected else { throw ReplayedWrite.otherContent(found, expected) }
                    content = found
                }
            } catch {
                return .failed(at: index, error)
            }
            positions.append(Position(store: state.identity, head: head))
        }
        do {
            try mapLMDB { () throws(LMDBError) in try content?.write(state.databases, &raw) }
            try head.write(since: first, now: now, heldUntil: core.retention.feedHeldUntil, state, in: &raw)
        } catch {
            if error.isFull { return .full(error) }
            throw error
        }
        if let failure = raw.commitFailure() {
            if failure.isFull { return .full(failure) }
            throw failure
        }
        if head.sequence > first {
            core.notifier.committed(head.sequence, entries)
        } else {
            core.notifier.committedAside()
        }
        return .committed(positions)
    }
}
