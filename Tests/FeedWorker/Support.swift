import Foundation
import Synchronization

/// A flag that is set once a task has ended.
final class StopFlag: Sendable {
    private let value = Atomic(false)

    init<T: Sendable>(_ task: Task<T, Never>) {
        Task {
            _ = await task.value
            value.store(true, ordering: .releasing)
        }
    }

    var isSet: Bool { value.load(ordering: .acquiring) }
}

/// The generation in which this process holds a consumer.
final class Holder: Sendable {
    let generation = Atomic<UInt64>(0)
}

/// A file to which each line is appended with one write.
final class LogFile: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }

    func append(_ line: String) throws {
        let bytes = Array(line.utf8)
        let written = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count else { throw POSIXError(.EIO) }
    }
}
