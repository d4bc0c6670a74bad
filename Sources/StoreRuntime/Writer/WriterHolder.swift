import Foundation
import StoreEngine

/// The process that holds a store's writer, as messages name it.
package struct WriterHolder: CustomStringConvertible {
    package let description: String

    /// - Parameter processID: the process; nil if it is unknown.
    package init(_ processID: Int32?) {
        guard let processID else {
            description = "another process"
            return
        }
        let name = try? String(contentsOfFile: "/proc/\(processID)/comm", encoding: .utf8)
        let shown = name.map { " (\($0.trimmingCharacters(in: .whitespacesAndNewlines)))" } ?? ""
        let state = Self.isStopped(processID) ? ", which is stopped," : ""
        description = "process \(processID)\(shown)\(state)"
    }

    /// Returns whether a signal or a debugger has stopped the process. It then keeps the lock until it continues or is killed.
    private static func isStopped(_ processID: Int32) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
        // The name is in parentheses and may contain any character. The state follows it.
        let state = text?.split(separator: ")").last?.first { $0 != " " }
        return state == "T" || state == "t"
    }
}

extension StoreError {
    /// Returns the error of a write that did not begin in time.
    ///
    /// - Parameter holder: the process that holds the lock; nil if no process does or it is unknown.
    static func writeTimeout(_ timeout: Duration, holder: Int32?) -> StoreError {
        guard timeout > .zero else {
            return StoreError(
                .writeTimeout, "a timeout of zero leaves the writer no time to begin the write",
                remedy: "give the write a longer timeout, or none to wait without limit")
        }
        let reason: String =
            switch holder {
            case nil: "other writes came first"
            case getpid(): "another write of this process runs"
            default: "\(WriterHolder(holder)) holds the store's writer"
            }
        return StoreError(
            .writeTimeout, "the write did not begin within \(timeout): \(reason)",
            remedy: "retry it, or allow a longer timeout")
    }
}
