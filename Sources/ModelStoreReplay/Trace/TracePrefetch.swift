import Foundation
import LMDB
import StoreEngine
import Synchronization

/// Reads a trace ahead of its replay, on a thread of its own: reading takes about as long as replaying.
///
/// What is read ahead is bounded by its bytes, whatever the lines hold (``Limits``), and what one line has beyond that.
///
/// Life: the thread begins at once, rests when enough is read, and ends with the trace, a failure, or ``stop()``.
/// - `state` is protected by its mutex.
final class TracePrefetch: Sendable {
    /// What was read, or how it ended.
    enum Portion: Sendable {
        case lines([TraceReader.Line])
        case end(TraceReader.End?, isUnfinished: Bool)
        case failed(StoreError)
    }

    /// How much is read ahead.
    struct Limits: Sendable {
        /// So many lines are handed over together at most, and about so many bytes.
        var portion = (lines: 256, bytes: 1 << 20)
        /// So many portions are read ahead at most, and nothing more beside so many bytes.
        var all = (portions: 16, bytes: 16 << 20)
    }

    private struct State {
        var portions: [(portion: Portion, byteCount: Int)] = []
        /// How long the lines are that were read and not taken.
        var byteCount = 0
        /// Whether the thread rests until less is there.
        var isFull = false
        var isStopped = false
    }

    private let limits: Limits
    private let state = HandoverMutex(State())
    // Begins at 0, as one that goes with less than it began with ends the program.
    private let room = DispatchSemaphore(value: 0)
    private let lessBytes = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)

    /// Begins to read on.
    ///
    /// - Parameters:
    ///   - reader: handed over: nobody else may use it any more.
    ///   - limits: how much is read ahead.
    init(_ reader: TraceReader, limits: Limits = Limits()) {
        self.limits = limits
        for _ in 0..<limits.all.portions { room.signal() }
        let handed = HandedReader(reader: reader)
        let thread = Thread { [self] in read(handed.reader) }
        // Frames nest as deep as their JSON.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// The next portion; after the last one, that again.
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

    /// How much is read ahead, and whether the thread rests because of it.
    var readAhead: (byteCount: Int, isFull: Bool) { state.withLock { ($0.byteCount, $0.isFull) } }

    /// Has the thread end without having read all.
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

    /// Whether as many bytes are there as may be.
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
            // What comes before the place is replayed first; the reader gives the error again.
            guard lines.isEmpty else { return .lines(lines) }
            return .failed(error)
        }
        return .lines(lines)
    }
}

/// A reader on its way to another thread.
///
/// Safe as whoever hands it over does not use it any more.
private struct HandedReader: @unchecked Sendable {
    let reader: TraceReader
}
