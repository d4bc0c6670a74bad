import Testing

@testable import ModelStoreReplay

@Suite("What a recorder is told") struct RecorderLogTests {
    @Test(arguments: [true, false]) func `A step that is told late does not set back what is shown`(
        includesObservers: Bool
    ) async {
        let log = RecorderLog(includesObservers: includesObservers) { nil }
        for sequence in [5, 7, 6, 7, 8, 8] as [UInt64] {
            log.stepped(to: sequence)
            log.add(.frame(.advanced(.seconds(1))))
        }
        let steps = await log.next().events.compactMap { event in
            if case .stepped(let sequence) = event { sequence } else { nil }
        }
        #expect(steps == [5, 7, 8])
    }
}
