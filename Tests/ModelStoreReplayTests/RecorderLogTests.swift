import StoreEngine
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

    @Test func `More events than may wait are an error, and not a trace that lacks some`() async {
        let log = RecorderLog(includesObservers: true, maximumCount: 3) { nil }
        for second in 1...3 { log.add(frame: .advanced(.seconds(second))) }
        #expect(log.failure == nil)
        log.add(frame: .advanced(.seconds(4)))
        #expect(log.failure?.code == .tooLarge && log.failure?.message.contains("3 events wait") == true)
        #expect(await log.next().events.count == 3)
        // The log also ignores events after the gap, although it has room for them.
        log.add(frame: .advanced(.seconds(5)))
        #expect(log.end())
        #expect(await log.next().events.isEmpty)
    }
}
