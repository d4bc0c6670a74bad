import Foundation

/// A program that runs to its end.
package enum Command {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Runs a program and returns the lines of its output.
    ///
    /// - Throws: ``Failed`` if it does not end with success.
    @discardableResult
    package static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> [String] {
        let child = try ChildProcess(path, arguments, environment: environment, mergesErrors: true)
        let lines = child.remainingLines()
        let end = try child.wait()
        guard end == .exit(0) else {
            throw Failed(
                description: "\(([path] + arguments).joined(separator: " ")): \(end): \(lines.joined(separator: " "))")
        }
        return lines
    }

    /// Returns the path of the first of these programs that the search path contains.
    package static func find(_ names: [String]) -> String? {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(
            String.init)
        for name in names {
            let candidates = name.hasPrefix("/") ? [name] : directories.map { $0 + "/" + name }
            if let found = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) { return found }
        }
        return nil
    }
}
