import Foundation
import Testing

/// Compares the public declarations with a checked-in list, so that every change appears in a review.
///
/// `RECORD=1` writes the lists again.
@Suite("Public interface", .serialized, .enabled(if: Compiler.isAvailable)) struct PublicInterfaceTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "PublicInterface")

    @Test(arguments: [
        "StoreEngine", "StoreRuntime", "ModelStore", "ModelStoreComponents", "ModelStoreReplay",
        "ModelStoreReplication",
        "ModelStoreTesting",
    ])
    func `the public declarations are those of the list`(module: String) throws {
        let file = Self.folder.appending(path: "\(module).txt")
        let found = try Compiler.publicInterface(of: module)
        #expect(!found.isEmpty)
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try (found.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let listed = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let changes = found.difference(from: listed).map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }
        #expect(changes.isEmpty, "record the lists with RECORD=1:\n\(changes.joined(separator: "\n"))")
    }
}
