import Foundation
import LMDB
import StoreEngine
import Synchronization

/// Reads a trace ahead of its replay, on a thread of its own: reading takes about as long as replaying.
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

    private struct State {
        var portions: [Portion] = []
        var isStopped = false
    }

    /// So many lines are handed over together.
    private static let linesPerPortion = 256
    /// So many portions are read ahead.
    private static let portionCount = 16

    private let state = HandoverMutex(State())
    // Begins at 0, as one that goes with less than it began with ends the program.
    private let room = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)

    /// Begins to read on.
    ///
    /// - Parameter reader: handed over: nobody else may use it any more.
    init(_ reader: TraceReader) {
        for _ in 0..<Self.portionCount { room.signal() }
        let handed = HandedReader(reader: reader)
        let thread = Thread { [self] in read(handed.reader) }
        // Frames nest as deep as their JSON.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// The next portion; after the last one, that again.
    func next() -> Portion {
        filled.wait()
        let portion = state.withLock { state in
            if case .lines = state.portions[0] { return state.portions.removeFirst() }
            return state.portions[0]
        }
        if case .lines = portion { room.signal() } else { filled.signal() }
        return portion
    }

    /// Has the thread end without having read all.
    func stop() {
        state.withLock { $0.isStopped = true }
        room.signal()
    }

    private func read(_ reader: TraceReader) {
        while true {
            room.wait()
            if state.withLock({ $0.isStopped }) { return }
            let portion = Self.portion(reader)
            state.withLock { $0.portions.append(portion) }
            filled.signal()
            guard case .lines = portion else { return }
        }
    }

    private static func portion(_ reader: TraceReader) -> Portion {
        var lines: [TraceReader.Line] = []
        do {
            while lines.count < linesPerPortion {
                guard let line = try reader.next() else {
                    return lines.isEmpty ? .end(reader.end, isUnfinished: reader.isUnfinished) : .lines(lines)
                }
                lines.append(line)
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
