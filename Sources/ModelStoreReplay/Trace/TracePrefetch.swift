import Foundation
import LMDB
import StoreEngine
import Synchronization

/// Reads a trace ahead of its replay, on a thread of its own, because reading takes about as long as replaying.
///
/// The bytes that are read ahead are limited (``Limits``); one line may exceed the limit.
///
/// Life: the thread begins at once, pauses when the limit is reached, and ends with the trace, a failure, or ``stop()``.
/// - `state` is protected by its mutex.
final class TracePrefetch: Sendable {
    /// A portion of lines, or the end of the trace.
    enum Portion: Sendable {
        case lines([TraceReader.Line])
        case end(TraceReader.End?, isUnfinished: Bool)
        case failed(StoreError)
    }

    /// Limits for reading ahead.
    struct Limits: Sendable {
        /// The maximum number of lines in a portion, and their approximate maximum number of bytes.
        var portion = (lines: 256, bytes: 1 << 20)
        /// The maximum number of portions that are read ahead, and the number of bytes at which reading pauses.
        var all = (portions: 16, bytes: 16 << 20)
    }

    private struct State {
        var portions: [(portion: Portion, byteCount: Int)] = []
        /// The bytes of the lines that were read and not yet taken.
        var byteCount = 0
        /// Whether the thread pauses until portions are taken.
        var isFull = false
        var isStopped = false
    }

    private let limits: Limits
    private let state = HandoverMutex(State())
    // Begins at 0: Dispatch traps when a semaphore is destroyed with a value below its initial value.
    private let room = DispatchSemaphore(value: 0)
    private let lessBytes = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)

    /// Begins to read ahead.
    ///
    /// - Parameters:
    ///   - reader: the reader. The caller must not use it any more.
    ///   - limits: the limits for reading ahead.
    /// - Throws: ``StoreError`` with the code `threadUnavailable`.
    init(_ reader: TraceReader, limits: Limits = Limits()) throws(StoreError) {
        self.limits = limits
        for _ in 0..<limits.all.portions { room.signal() }
        let handed = HandedReader(reader: reader)
        try mapLMDB { () throws(LMDBError) in
            try SystemThread.start("trace-reader", for: nil) { [self] in read(handed.reader) }
        }
    }

    /// Returns the next portion. After the last portion, returns that one again.
    func next() -> Portion {
        filled.wait()
        let (portion, wasFull) = state.withLock { state -> (Portion, Bool) in
            guard case .lines = state.portions[0].portion else { return (state.portions[0].portion, false) }
            let taken = state.portions.removeFirst()
            state.byteCount -= taken.byteCount
            defer { state.isFull = false }
            return (taken.portion, state.isFull)
        }
        if wasFull { lessBytes.signal() }
        if case .lines = portion { room.signal() } else { filled.signal() }
        return portion
    }

    /// The bytes that are read ahead, and whether the thread pauses because of them.
    var readAhead: (byteCount: Int, isFull: Bool) { state.withLock { ($0.byteCount, $0.isFull) } }

    /// Ends the thread before it has read everything.
    func stop() {
        state.withLock { $0.isStopped = true }
        room.signal()
        lessBytes.signal()
    }

    private func read(_ reader: TraceReader) {
        while true {
            while rests { lessBytes.wait() }
            room.wait()
            if state.withLock({ $0.isStopped }) { return }
            var byteCount = 0
            let portion = portion(reader, &byteCount)
            state.withLock { [byteCount] state in
                state.portions.append((portion, byteCount))
                state.byteCount += byteCount
            }
            filled.signal()
            guard case .lines = portion else { return }
        }
    }

    /// Whether the limit of bytes is reached.
    private var rests: Bool {
        state.withLock { state in
            state.isFull = !state.isStopped && state.byteCount >= limits.all.bytes
            return state.isFull
        }
    }

    private func portion(_ reader: TraceReader, _ byteCount: inout Int) -> Portion {
        var lines: [TraceReader.Line] = []
        do {
            while lines.count < limits.portion.lines, byteCount < limits.portion.bytes {
                guard let line = try reader.next() else {
                    return lines.isEmpty ? .end(reader.end, isUnfinished: reader.isUnfinished) : .lines(lines)
                }
                lines.append(line)
                byteCount += line.byteCount
            }
        } catch {
            // The lines before the error are replayed first. The reader throws the error again.
            guard lines.isEmpty else { return .lines(lines) }
            return .failed(error)
        }
        return .lines(lines)
    }
}

/// A reader that is handed to another thread.
///
/// Safe, because the caller does not use it after the handover.
private struct HandedReader: @unchecked Sendable {
    let reader: TraceReader
}
