import Foundation
import LMDB
import StoreEngine
import Synchronization
import Testing

@testable import StoreRuntime

/// Looking into a store that another process is opening or recovering.
@Suite("Awaited recoveries") struct AwaitedRecoveryTests {
    enum Look: CaseIterable {
        case verify, readers, restore, open
    }

    @Test(arguments: Look.allCases) func `each look ends after its timeout, and the notice comes before`(
        _ look: Look
    ) throws {
        let folder = try StoreFolder()
        let target = try StoreFolder()
        try Store(at: folder.path, records: Sensor.self).close()
        guard let recovering = try LockFile.take(in: folder.path, fileMode: 0o640) else { throw POSIXError(.EBUSY) }
        defer { recovering.release() }
        let events = Mutex<[String]>([])
        var options = StoreOptions()
        options.writeTimeout = .milliseconds(1_100)
        options.onEvent = { event in events.withLock { $0.append("\(event)") } }
        let error = #expect(throws: StoreError.self) {
            switch look {
            case .verify: try Store.verify(at: folder.path, options: options) { _ in }
            case .readers: _ = try ReaderReport(at: folder.path, options: options, clearsStale: false)
            case .restore: try Store.restore(from: folder.path, to: target.path, reading: options) { _ in }
            case .open: _ = try Store(at: folder.path, records: Sensor.self, options: options)
            }
        }
        #expect(error?.code == .writeTimeout, "\(error!)")
        #expect(events.withLock { $0 }.count { $0.contains("recoveryAwaited") } == 1)
    }
}
