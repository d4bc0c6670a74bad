import Foundation
import ModelStore
import ModelStoreReplay
import Testing

@Record private struct Reading {
    @ID var id: Int
    var double: Double
    var float: Float
    var date: Date
}

@Suite("Values in traces, byte for byte") struct ExactValueTests {
    /// What `0.0 / 0.0` gives on x86-64 when it is calculated, and a NaN with a payload.
    @Test(arguments: [0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_1234] as [UInt64])
    func `What is no number keeps its bits, in rows and in change sets`(bits: UInt64) async throws {
        let (store, folder) = (try Store.temporary(records: Reading.self), try Folder())
        let double = Double(bitPattern: bits)
        let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32) | 7)
        func reading(_ id: Int) -> Reading {
            Reading(id: id, double: double, float: float, date: Date(timeIntervalSinceReferenceDate: double))
        }
        try await store.write { [reading = reading(1)] in try $0.insert(reading) }
        let recorder = try await Recorder(store, to: folder.file("t"))
        try await store.write { [reading = reading(2)] in try $0.insert(reading) }
        try await store.write { try $0.update(Reading.self, id: 1) { $0.double = .nan } }
        try await recorder.finish()
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(summary.hasEqualHashes && summary.changeSetCount == 2)
        let replayed = try Store(at: folder.file("store"), records: Reading.self)
        let found = try #require(try replayed.read { try $0.get(Reading.self, id: 2) })
        #expect(found.double.bitPattern == bits && found.float.bitPattern == float.bitPattern)
        replayed.close()
    }
}
