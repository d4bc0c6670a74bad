import Foundation
import Glibc

/// A terminal of a given size for a program under test, and the screen that the program draws.
final class PseudoTerminal {
    /// The program's input and output.
    let handle: FileHandle
    private let controller: Int32
    private(set) var screen: TerminalScreen
    /// All bytes that the program has written.
    private(set) var bytes: [UInt8] = []

    // Linux constants whose names Glibc's overlay does not import.
    private static let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
    private static let getNumber: UInt = 0x8004_5430  // TIOCGPTN

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(columns: Int, rows: Int) throws {
        controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard controller >= 0 else { throw Failure(description: "there are no pseudo-terminals: \(errno)") }
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        guard unsafe ioctl(controller, Self.setLock, &isLocked) == 0,
            unsafe ioctl(controller, Self.getNumber, &number) == 0
        else { throw Failure(description: "a pseudo-terminal cannot be had: \(errno)") }
        let name = "/dev/pts/\(number)"
        let device = unsafe open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard device >= 0 else { throw Failure(description: "it cannot be opened: \(errno)") }
        handle = FileHandle(fileDescriptor: device, closeOnDealloc: true)
        screen = TerminalScreen(columns: columns, rows: rows)
        resize(columns: columns, rows: rows)
    }

    deinit { close(controller) }

    /// Gives the terminal another size, and an empty screen.
    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(controller, UInt(TIOCSWINSZ), &size)
        screen = TerminalScreen(columns: columns, rows: rows)
    }

    /// Blocks further writes, as Ctrl-S does.
    func stop() { tcflow(handle.fileDescriptor, TCOOFF) }

    /// Takes the written bytes; waits up to `milliseconds` for more.
    private func take(waiting milliseconds: Int32) {
        var wanted = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&wanted, 1, milliseconds) == 1, wanted.revents & Int16(POLLIN) != 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(controller, &buffer, buffer.count)
        guard count > 0 else { return }
        bytes += buffer[..<count]
        screen.write(buffer[..<count])
    }

    /// Waits until the screen meets `condition`.
    func wait(_ what: String, until condition: (TerminalScreen) -> Bool) throws {
        let limit = Date() + 60
        while Date() < limit {
            take(waiting: 20)
            // In the middle of a drawing, the screen is in a state that a user never sees.
            if screen.isWhole, condition(screen) { return }
        }
        throw Failure(description: "\(what): the screen does not come to that: \(screen.lines)")
    }

    /// Takes everything that the program wrote before it ended.
    func takeRest() {
        var known = -1
        while bytes.count > known {
            known = bytes.count
            take(waiting: 50)
        }
    }
}

/// The screen of a terminal, with the few control sequences that a table needs. Other sequences are recorded as mistakes.
struct TerminalScreen {
    private let columns: Int
    private let rows: Int
    private var cells: [[Character]]
    private(set) var row = 0
    private(set) var column = 0
    private(set) var isCursorVisible = true
    /// Output that exceeds the screen, or that the terminal does not understand.
    private(set) var mistakes: [String] = []
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// The text of the lines, without trailing spaces and empty lines.
    var lines: [String] {
        var lines = cells.map { line in
            var text = String(line)
            while text.last == " " { text.removeLast() }
            return text
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Whether no control sequence is incomplete.
    var isWhole: Bool { pending.isEmpty }

    mutating func write(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        // The text ends with the last complete character and control sequence.
        guard let text = String(validating: pending, as: UTF8.self), !endsInControl(text) else { return }
        pending = []
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\r\n":
                column = 0
                lineFeed()
            case "\r": column = 0
            case "\n": lineFeed()
            case "\u{1B}": control(&rest)
            default: put(character)
            }
        }
    }

    private func endsInControl(_ text: String) -> Bool {
        guard let start = text.lastIndex(of: "\u{1B}") else { return false }
        let control = text[text.index(after: start)...]
        return !control.contains { $0.isLetter }
    }

    private mutating func put(_ character: Character) {
        guard column < columns - 1 else {
            mistakes.append("\(character) reaches the last column")
            return
        }
        cells[row][column] = character
        column += 1
    }

    private mutating func lineFeed() {
        guard row + 1 < rows else {
            mistakes.append("it scrolls")
            return
        }
        row += 1
    }

    private mutating func control(_ rest: inout Substring) {
        let end = rest.firstIndex { $0.isLetter } ?? rest.index(before: rest.endIndex)
        let control = rest[...end]
        rest = rest[rest.index(after: end)...]
        switch control {
        case "[H": (row, column) = (0, 0)
        case "[K": clear(row, from: column)
        case "[J":
            clear(row, from: column)
            for below in row + 1..<max(rows, row + 1) { clear(below, from: 0) }
        case "[?25l": isCursorVisible = false
        case "[?25h": isCursorVisible = true
        default: mistakes.append("the control \(control)")
        }
    }

    private mutating func clear(_ row: Int, from column: Int) {
        for column in column..<max(columns, column) { cells[row][column] = " " }
    }
}
