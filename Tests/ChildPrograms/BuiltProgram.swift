import Foundation

/// Programs that are built with the tests.
package enum BuiltProgram {
    /// The directory of the test executable.
    private static let directory: String = {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let own = link ?? CommandLine.arguments[0]
        return (own as NSString).deletingLastPathComponent
    }()

    /// Returns the path of a program.
    package static func path(_ name: String) -> String { directory + "/" + name }
}
