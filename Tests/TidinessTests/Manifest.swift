import Foundation

/// The targets of a package, as its `Package.swift` declares them.
struct Manifest {
    /// One target.
    struct Target {
        let name: String
        /// The folder of its sources, relative to the project's folder.
        let folder: String
        /// The names of the targets and products on which it depends.
        let dependencies: Set<String>
        /// The files and folders below `folder` that are no sources.
        let excluded: [String]
        let isTest: Bool

        /// Returns the Swift files.
        func files() throws -> [SourceTree.File] {
            let prefixes = excluded.map { "\(folder)/\($0)/" } + ["\(folder)/Package.swift"]
            return try SourceTree.files(below: folder).filter { file in !prefixes.contains { file.path.hasPrefix($0) } }
        }
    }

    let targets: [Target]

    /// Reads the manifest in a folder of the project.
    init(in folder: String) throws {
        let path = folder.isEmpty ? "" : folder + "/"
        let text = try SourceTree.text(path + "Package.swift")
        let quoted = /"([\w-]+)"/
        var targets: [Target] = []
        // Each declaration of a target goes on until the next one.
        let starts = text.matches(of: /\.(target|testTarget|executableTarget|macro|systemLibrary)\(\s*name: "([\w-]+)"/)
            // A dependency with a condition has no declaration's comma after its name.
            .filter { !text[$0.range.upperBound...].hasPrefix(", condition:") }
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
            let declaration = text[start.range.upperBound..<end]
            let kind = start.output.1
            let name = String(start.output.2)
            let list = declaration.firstMatch(of: /dependencies: \[((?:[^\[\]]|\[[^\]]*\])*)\]/).map {
                String($0.output.1)
            }
            let products = (list ?? "").replacing(/package: "[^"]*"/, with: "").replacing(/\.when\([^)]*\)/, with: "")
            let excluded = declaration.firstMatch(of: /exclude: \[([^\]]*)\]/).map { String($0.output.1) } ?? ""
            let given = declaration.firstMatch(of: /\bpath: "([^"]*)"/).map { String($0.output.1) }
            targets.append(
                Target(
                    name: name, folder: path + (given ?? (kind == "testTarget" ? "Tests/" : "Sources/") + name),
                    dependencies: Set(products.matches(of: quoted).map { String($0.output.1) }),
                    excluded: excluded.matches(of: /"([^"]+)"/).map { String($0.output.1) },
                    isTest: kind == "testTarget"))
        }
        self.targets = targets
    }
}
