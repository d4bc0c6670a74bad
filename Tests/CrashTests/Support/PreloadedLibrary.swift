import ChildPrograms
import Foundation
import Synchronization

/// A library of C that a test preloads into a program.
struct PreloadedLibrary {
    let path: String

    private static let paths = Mutex<[String: String]>([:])

    /// Compiles the library once in a run of the tests. It stays beside the test bundle.
    ///
    /// - Parameter source: the path of the source, relative to the folder of all tests.
    init(source: String) throws {
        path = try Self.paths.withLock { paths in
            if let path = paths[source] { return path }
            let name = URL(filePath: source).deletingPathExtension().lastPathComponent
            let path = BuiltProgram.path("preloaded-\(name).so")
            // A process of another run of the tests may have the file in its map.
            let fresh = "\(path).\(UUID())"
            try Self.compile(source, to: fresh)
            guard unsafe rename(fresh, path) == 0 else { throw Command.Failed(description: "cannot make \(path)") }
            paths[source] = path
            return path
        }
    }

    private static func compile(_ source: String, to path: String) throws {
        guard let compiler = Command.find(["clang", "cc", "gcc"]) else {
            throw Command.Failed(description: "no C compiler: install the Swift toolchain's clang, or gcc")
        }
        let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        try Command.run(
            compiler,
            [
                "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", path,
                tests.appending(path: source).path,
            ])
    }
}
