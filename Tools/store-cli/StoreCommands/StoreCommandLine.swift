import ArgumentParser
import Glibc
import StoreEngine
import StoreExpressions

/// Runs a command, and converts its outcome to output and an exit status.
public enum StoreCommandLine {
    /// Runs the command from the process's arguments, and ends the process.
    public static func main() -> Never {
        FileDescriptor.fillStandardOnes()
        // A closed pipe must end the command in order, not kill it in the middle of a step.
        _ = signal(SIGPIPE, SIG_IGN)
        // A file that would exceed `ulimit -f` is an error of the write, as on a full disk.
        _ = signal(SIGXFSZ, SIG_IGN)
        endOnUnreadablePage()
        if let number = numberOfDamagedArgument() {
            // Converted to text, such bytes would name other records and be stored as other values.
            StandardError.writeLine("error: argument \(number) is not UTF-8; write bytes as base64, in a field of data")
            exit(ExitStatus.usage.rawValue)
        }
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Ends the process with a message if the system cannot deliver a page of a mapped file: another program cut the file while
    /// this one reads it, or the disk failed. All other damage is an error of the store.
    private static func endOnUnreadablePage() {
        _ = signal(SIGBUS) { _ in
            // Only calls that are allowed in the handler of a signal.
            let message: StaticString =
                "error: a page of the store cannot be read: its file was cut, or the disk fails; restore a backup\n"
            _ = unsafe write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
            _exit(ExitStatus.ioError.rawValue)
        }
    }

    /// Returns the number of the first argument whose bytes are not UTF-8, counted from 1.
    private static func numberOfDamagedArgument() -> Int? {
        (1..<max(1, Int(CommandLine.argc))).first { number in
            guard let argument = unsafe CommandLine.unsafeArgv[number] else { return false }
            return unsafe String(validatingCString: argument) == nil
        }
    }

    package static func run(_ arguments: [String]) -> ExitStatus {
        do {
            let arguments = GlobalArguments.moved(arguments)
            try requireCommand(arguments)
            try ProcessLimits.require()
            var command = try StoreCLI.parseAsRoot(arguments)
            try command.run()
            return .done
        } catch is StandardOutput.Closed {
            return .done
        } catch let error where isOwn(error) {
            let failure = CommandFailure(error)
            StandardError.writeLine("error: \(failure.message)")
            for line in failure.details { StandardError.writeLine(line) }
            return failure.status
        } catch {
            return end(parsing: error, of: arguments)
        }
    }

    /// Fails if the first word is no command. The argument parser would report it as a superfluous value.
    private static func requireCommand(_ arguments: [String]) throws {
        guard let word = arguments.first, !word.hasPrefix("-") else { return }
        let commands = StoreCLI.configuration.subcommands
        guard word != "help", !commands.contains(where: { $0._commandName == word }) else { return }
        // Closures: Swift 6.3.1 crashes on key paths of these metatypes.
        let names = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let suggestion = Suggestion.text(for: word, among: names)
        throw CommandFailure(
            .usage, "there is no command \(RecordText.shortened(word))\(suggestion); see `store-cli --help`")
    }

    /// Returns whether an error comes from a command, and not from the argument parser.
    private static func isOwn(_ error: any Error) -> Bool {
        switch error {
        case is CommandFailure, is StoreError, is CodecError, is JSONError, is CSVError, is ExpressionError,
            is SystemFailure:
            true
        default: false
        }
    }

    /// To the parser, a request for help is an error too, but it is no failure.
    private static func end(parsing error: any Error, of arguments: [String]) -> ExitStatus {
        if StoreCLI.exitCode(for: error) == .success {
            do {
                let output = StandardOutput()
                try output.write(StoreCLI.fullMessage(for: error) + "\n")
                try output.flush()
                return .done
            } catch is StandardOutput.Closed {
                return .done
            } catch {
                StandardError.writeLine("error: \(error)")
                return .ioError
            }
        }
        let lines = StoreCLI.message(for: error).split(whereSeparator: \.isNewline)
        var text = lines.map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(separator: " ")
        while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
        // The parser's message may begin as a sentence, but the text after "error:" is none.
        if let first = text.first, text.dropFirst().first?.isLowercase == true {
            text = first.lowercased() + text.dropFirst()
        }
        // The parser takes a negative number for an option.
        let hasNegative = arguments.contains { $0.first == "-" && $0.dropFirst().first?.isNumber == true }
        let remedy = hasNegative ? "put -- before values that begin with a dash, or see" : "see"
        StandardError.writeLine("error: \(text); \(remedy) `\(command(of: arguments)) --help`")
        return .usage
    }

    /// Returns the words of the arguments that name the command, such as `store-cli replication status`.
    private static func command(of arguments: [String]) -> String {
        var names = [StoreCLI._commandName]
        var commands = StoreCLI.configuration.subcommands
        for word in arguments {
            guard let command = commands.first(where: { $0._commandName == word }) else { break }
            names.append(word)
            commands = command.configuration.subcommands
        }
        return names.joined(separator: " ")
    }
}
