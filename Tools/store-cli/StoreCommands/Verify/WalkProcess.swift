import Foundation
import StoreEngine
import Synchronization

/// A process of this same program that walks through a store, watched from outside.
struct WalkProcess {
    /// How the process ended.
    enum End: Equatable {
        /// It reported its end, or the reason why it failed.
        case finished
        /// A signal ended it.
        case signal(Int32)
        /// It ended without a report.
        case silent
    }

    let path: String

    /// Runs a walk and calls `body` with each message as it arrives.
    func run(_ part: VerifyWalk.Part, named name: String? = nil, _ body: (WalkMessage) -> Void) throws -> End {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe")
        // After the dashes, no argument is parsed as an option.
        process.arguments = ["verify-walk", "--store=\(path)", "--", part.rawValue] + (name.map { [$0] } ?? [])
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw CommandFailure(.ioError, "the walk cannot be started: \(ErrorText.of(error))")
        }
        var isFinished = false
        var rest: [UInt8] = []
        while true {
            let piece = try FileDescriptor.read(pipe.fileHandleForReading.fileDescriptor, limit: 1 << 16) {
                SystemFailure("the walk cannot be watched", code: $0)
            }
            if piece.isEmpty { break }
            rest += piece
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let message = WalkMessage(line: String(decoding: rest[..<end], as: UTF8.self)) {
                    switch message {
                    case .done, .failed: isFinished = true
                    default: break
                    }
                    body(message)
                }
                rest.removeSubrange(...end)
            }
        }
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal { return .signal(process.terminationStatus) }
        // A walk that ends with a finding instead of a summary has reported all that it could.
        return isFinished || process.terminationStatus == 0 ? .finished : .silent
    }
}
