import Glibc
import StoreEngine

/// Writes to standard output, or to a temporary file instead, in large pieces.
///
/// A reader that stops early (`| head`) is no failure: ``Closed`` then ends the command quietly.
///
/// A command that holds a snapshot does not wait for a slow reader, because writers could not reuse freed pages meanwhile. It
/// creates the output with `isPatient: false`. If the reader takes nothing for some time, the rest goes to a temporary file. The
/// command calls ``finish()`` after it has released the snapshot.
///
/// On a terminal, characters that would control it are written as `\u` and four digits, in every form of output: a stored text
/// must not move the cursor or change the direction of writing. In files and pipes, the bytes stay as they are.
final class StandardOutput {
    /// Standard output has no reader any more.
    struct Closed: Error {}

    private static let pieceByteCount = 1 << 16
    /// How long a command that holds a snapshot waits for the reader, in milliseconds.
    private static let patience: Int32 = 2_000

    private let descriptor: CInt
    private let file: TemporaryFile?
    private let isTerminal: Bool
    private let isPatient: Bool
    private var buffer: [UInt8] = []
    /// The rest of the output, once the reader was too slow.
    private var rest: TemporaryFile?

    /// - Parameters:
    ///   - descriptor: the output.
    ///   - isPatient: whether to wait for the reader as long as it takes.
    init(descriptor: CInt = STDOUT_FILENO, isPatient: Bool = true) {
        self.descriptor = descriptor
        self.isPatient = isPatient
        file = nil
        isTerminal = TerminalSize.isTerminal(descriptor)
    }

    /// Writes to a file, whose content is printed later.
    init(to file: TemporaryFile) {
        descriptor = -1
        isPatient = true
        self.file = file
        isTerminal = false
    }

    /// Fails if standard output is not writable. Called before a change whose printed result would be lost.
    static func requireOpen() throws {
        guard fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY else {
            throw CommandFailure(
                .ioError, "standard output is closed; redirect it to /dev/null if you do not need the output")
        }
    }

    /// Appends bytes. They reach the reader with ``flush()`` at the latest.
    func write(_ bytes: [UInt8]) throws {
        if isTerminal {
            buffer.append(contentsOf: DisplayText.escapedLines(String(decoding: bytes, as: UTF8.self)).utf8)
        } else {
            buffer.append(contentsOf: bytes)
        }
        if buffer.count >= Self.pieceByteCount { try flush() }
    }

    /// Appends text.
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Appends text that controls the terminal on purpose.
    func writeControls(_ text: String) { buffer.append(contentsOf: text.utf8) }

    /// Writes the whole buffer.
    func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        if let file = file ?? rest { return try file.append(buffer) }
        if isPatient { return try put(buffer) }
        var next = 0
        while next < buffer.count {
            guard isReady else {
                let file = try TemporaryFile()
                try file.append(Array(buffer[next...]))
                return rest = file
            }
            let end = min(next + certainByteCount, buffer.count)
            try put(Array(buffer[next..<end]))
            next = end
        }
    }

    /// Writes everything that is left, and waits for the reader as long as it takes.
    func finish() throws {
        try flush()
        guard let rest else { return }
        self.rest = nil
        try rest.forEachPiece(put)
    }

    /// How many bytes an output takes without waiting, once it is ready.
    private var certainByteCount: Int { isTerminal ? 256 : Int(PIPE_BUF) }

    /// Whether the output is ready within the time of patience.
    private var isReady: Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&wanted, 1, Self.patience) != 0
    }

    private func put(_ bytes: [UInt8]) throws {
        try FileDescriptor.write(bytes, to: descriptor) { code in
            guard code != EPIPE else { return Closed() }
            do { try Self.requireOpen() } catch { return error }
            return SystemFailure("standard output cannot be written", code: code)
        }
    }
}

/// Writes lines to standard error.
enum StandardError {
    /// Longer lines are cut, because messages quote names and values of any length.
    private static let maximumWidth = 1_000

    /// Writes a line. Ignores a failure to write, because there is no other channel to report it.
    ///
    /// - Parameter isWhole: whether the line is useful only as a whole, so that it must not be cut.
    static func writeLine(_ line: String, isWhole: Bool = false) {
        let escaped = DisplayText.escaped(line)
        let bytes = Array(((isWhole ? escaped : DisplayText.cut(escaped, to: maximumWidth)) + "\n").utf8)
        try? FileDescriptor.write(bytes, to: STDERR_FILENO) { SystemFailure("standard error", code: $0) }
    }
}

/// Reads and writes whole pieces through file descriptors.
enum FileDescriptor {
    /// Writes all bytes, even if the system accepts only some at a time.
    static func write(_ bytes: [UInt8], to descriptor: CInt, failure: (Int32) -> any Error) throws {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { pointer in
                unsafe Glibc.write(descriptor, pointer.baseAddress! + written, bytes.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    // Another program made the pipe non-blocking.
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&wanted, 1, -1)
                    continue
                }
                throw failure(errno)
            }
            written += count
        }
    }

    /// Opens `/dev/null` for each of standard input, output and error that the caller has closed. Otherwise the store's file
    /// would get that number, and messages would be written into it. Writing results to such an output fails, as for a closed
    /// file.
    static func fillStandardOnes() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The system assigns the lowest free number, which is this one.
            _ = unsafe open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    /// Returns up to `limit` bytes; none at the end.
    static func read(_ descriptor: CInt, limit: Int, failure: (Int32) -> any Error) throws -> [UInt8] {
        while true {
            var code: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                let got = unsafe Glibc.read(descriptor, buffer.baseAddress, limit)
                code = got < 0 ? errno : 0
                count = max(got, 0)
            }
            if code == 0 { return bytes }
            if code == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&wanted, 1, -1)
            } else if code != EINTR {
                throw failure(code)
            }
        }
    }
}
