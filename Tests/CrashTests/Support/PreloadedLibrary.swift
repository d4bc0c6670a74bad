import ChildPrograms
import Foundation

/// A library of C that a test preloads into a program. It is compiled for this value and removed with it.
struct PreloadedLibrary {
    let path: String
    private let directory: ScratchDirectory

    /// - Parameter source: the path of the source, relative to the folder of all tests.
    init(source: String) throws {
        directory = try ScratchDirectory()
        path = directory.path("preloaded.so")
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
