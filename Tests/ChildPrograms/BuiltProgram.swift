import Foundation

/// The programs that are built with the tests.
package enum BuiltProgram {
    /// Where the build put the test's own.
    private static let directory: String = {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let own = link ?? CommandLine.arguments[0]
        return (own as NSString).deletingLastPathComponent
    }()

    /// The path of a program.
    package static func path(_ name: String) -> String { directory + "/" + name }
}
