import ArgumentParser
import Glibc
import StoreEngine
import StoreExpressions

/// The command line: runs a command and turns however it ends into output and an exit status.
public enum StoreCommandLine {
    /// Runs the command that the process was started with, and ends the process.
    public static func main() -> Never {
        FileDescriptor.fillStandardOnes()
        // A closed pipe is to end the command, not to kill it in the middle of something.
        _ = signal(SIGPIPE, SIG_IGN)
        if let number = numberOfDamagedArgument() {
            // Read as text they would name other records, and be stored as others.
            StandardError.writeLine("error: argument \(number) is not UTF-8; write bytes as base64, in a field of data")
            exit(ExitStatus.usage.rawValue)
        }
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// The first of the process's arguments whose bytes are no text, counted from 1.
    private static func numberOfDamagedArgument() -> Int? {
        (1..<max(1, Int(CommandLine.argc))).first { number in
            guard let argument = unsafe CommandLine.unsafeArgv[number] else { return false }
            return unsafe String(validatingCString: argument) == nil
        }
    }

    static func run(_ arguments: [String]) -> ExitStatus {
        do {
            let arguments = GlobalArguments.moved(arguments)
            try requireCommand(arguments)
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

    /// Fails when the first word is no command: the parser of arguments would take it for a superfluous value.
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

    /// Whether an error comes from a command, and not from the parser of arguments.
    private static func isOwn(_ error: any Error) -> Bool {
        switch error {
        case is CommandFailure, is StoreError, is CodecError, is JSONError, is CSVError, is ExpressionError,
            is SystemFailure:
            true
        default: false
        }
    }

    /// Asking for help is an error to the parser, and no failure.
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
        // The first word may be a sentence's; what follows "error:" is none.
        if let first = text.first, text.dropFirst().first?.isLowercase == true {
            text = first.lowercased() + text.dropFirst()
        }
        // A negative number is taken for an option.
        let hasNegative = arguments.contains { $0.first == "-" && $0.dropFirst().first?.isNumber == true }
        let remedy = hasNegative ? "put -- before values that begin with a dash, or see" : "see"
        StandardError.writeLine("error: \(text); \(remedy) `store-cli --help`")
        return .usage
    }
}
