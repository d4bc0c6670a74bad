import Foundation

/// A line that a node prints about the work of the rounds. The check of the rounds reads these lines again.
enum Journal {
    /// A write that returned.
    struct Write {
        let token: String
        let span: Span
        /// The number that the step got.
        let number: Int
    }

    /// A linearizable read.
    struct Read {
        let span: Span
        /// How many steps it saw.
        let count: Int
    }

    /// When a call began and returned, in nanoseconds of the clock that all processes of a machine share.
    struct Span {
        let began: UInt64
        let ended: UInt64
    }

    case written(Write)
    /// A write that failed, and must not be there.
    case refused(token: String)
    /// A write whose outcome the node could not learn.
    case unknown(token: String)
    case read(Read)

    var line: String {
        switch self {
        case .written(let write):
            "step-written \(write.token) \(write.span.began) \(write.span.ended) \(write.number)"
        case .refused(let token): "step-refused \(token)"
        case .unknown(let token): "step-unknown \(token)"
        case .read(let read): "step-read \(read.span.began) \(read.span.ended) \(read.count)"
        }
    }

    /// Reads a line; returns nil for a line of another kind, or one that the end of the process has cut.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        let numbers = words.compactMap { UInt64($0) }
        switch (words.first, words.count) {
        case ("step-written"?, 5) where numbers.count == 3:
            self = .written(
                Write(
                    token: String(words[1]), span: Span(began: numbers[0], ended: numbers[1]), number: Int(numbers[2])))
        case ("step-refused"?, 2): self = .refused(token: String(words[1]))
        case ("step-unknown"?, 2): self = .unknown(token: String(words[1]))
        case ("step-read"?, 4) where numbers.count == 3:
            self = .read(Read(span: Span(began: numbers[0], ended: numbers[1]), count: Int(numbers[2])))
        default: return nil
        }
    }

    /// Prints a line at once, also to a pipe.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
