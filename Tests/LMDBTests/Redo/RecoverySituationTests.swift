import Testing

@testable import LMDB

/// The decision for all combinations of the states of the files.
@Suite struct RecoverySituationTests {
    private typealias Situation = RecoverySituation

    private static let identity = CheckpointIdentity.random()

    private static var stamps: [DataFileStamp.Reading] {
        [.none, .damaged]
            + [true, false].map { .stamp(DataFileStamp(isOpen: $0, done: identity, begun: identity)) }
    }

    private static var sides: [Situation.Side] {
        var sides: [Situation.Side] = [.missing, .unreadable, .earlier(isClosed: false), .earlier(isClosed: true)]
        for isClosed in [true, false] {
            for isOfDataFile in [true, false] {
                sides.append(.record(isClosed: isClosed, isOfDataFile: isOfDataFile, transaction: 10))
            }
        }
        return sides
    }

    private static var logs: [Situation.Log] {
        var logs: [Situation.Log] = [.missing, .unreadable(byteCount: 0), .foreign, .damaged(at: 64)]
        for last in [10, 11, 13] as [UInt64] {
            for isInDataFile in [true, false] where last > 10 || !isInDataFile {
                for relaxed in [true, false] {
                    logs.append(.entries(last: last, isInDataFile: isInDataFile, relaxed: relaxed))
                }
            }
        }
        return logs
    }

    private static var all: [Situation] {
        stamps.flatMap { stamp in
            sides.flatMap { side in
                logs.flatMap { log in
                    [9, 10, 11, 12, 13, 14].map {
                        Situation(stamp: stamp, side: side, log: log, newest: $0)
                    }
                }
            }
        }
    }

    private func isOpenRecordOfDataFile(_ side: Situation.Side) -> Bool {
        side == .record(isClosed: false, isOfDataFile: true, transaction: 10)
    }

    @Test func `the data file is written to only under an open checkpoint of its own that is not newer`() {
        for situation in Self.all {
            switch situation.decision {
            case .run, .keep:
                #expect(isOpenRecordOfDataFile(situation.side) && situation.newest >= 10, "\(situation)")
                guard case .entries = situation.log else {
                    Issue.record("\(situation)")
                    continue
                }
            case .makeFiles:
                #expect(situation.stamp.stamp?.isOpen != true || isClosedRecord(situation.side), "\(situation)")
            case .nothing, .examine, .refuse: continue
            }
        }
    }

    private func isClosedRecord(_ side: Situation.Side) -> Bool {
        side == .record(isClosed: true, isOfDataFile: true, transaction: 10)
    }

    @Test func `no commit is given up silently, but relaxed ones`() {
        for situation in Self.all {
            guard case .entries(let last, let isInDataFile, let relaxed) = situation.log else { continue }
            if case .run(let to) = situation.decision {
                #expect(to == last || isInDataFile && to == last - 1 && situation.newest < last, "\(situation)")
                if situation.newest > to { #expect(relaxed, "\(situation)") }
            }
            if situation.decision == .keep { #expect(isInDataFile && situation.newest == last, "\(situation)") }
        }
    }

    @Test func `a store that was left open is never taken for whole without its log`() {
        for situation in Self.all where situation.stamp.stamp?.isOpen == true && !isClosedRecord(situation.side) {
            switch situation.decision {
            case .nothing, .makeFiles: Issue.record("\(situation)")
            case .run, .keep, .examine, .refuse: continue
            }
        }
    }

    @Test func `a closed store is used whatever its side files are`() {
        for situation in Self.all {
            guard situation.stamp.stamp?.isOpen == false else { continue }
            switch situation.side {
            case .missing, .unreadable: #expect(situation.decision == .makeFiles, "\(situation)")
            case .record(isClosed: true, isOfDataFile: true, _) where situation.newest >= 10:
                if case .refuse = situation.decision { Issue.record("\(situation)") }
            default: continue
            }
        }
    }
}
