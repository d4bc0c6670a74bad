import Foundation

/// The project's files, as the tidiness tests see them.
struct SourceTree {
    /// One Swift file.
    struct File {
        /// The path relative to the project's folder.
        let path: String
        let lines: [String]
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the Swift files below a folder of the project, without build folders.
    static func files(below folder: String) throws -> [File] {
        try paths(below: [folder], extension: "swift").map(file)
    }

    /// Returns the sorted paths of the files with an extension below some folders, without build folders.
    private static func paths(below folders: [String], extension: String) -> [String] {
        var paths: [String] = []
        for folder in folders {
            let base = root.appending(path: folder)
            guard let walk = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil) else { continue }
            for case let url as URL in walk {
                if url.lastPathComponent.hasPrefix(".build") {
                    walk.skipDescendants()
                } else if url.pathExtension == `extension` {
                    paths.append(relativePath(url))
                }
            }
        }
        return paths.sorted()
    }

    /// Returns the paths of all files and folders of the project below sources, tests and tools, and of the files at the top.
    static func places() -> [String] {
        var paths = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        for folder in [".ci", "Sources", "Tests", "Tools"] {
            guard
                let walk = FileManager.default.enumerator(
                    at: root.appending(path: folder), includingPropertiesForKeys: nil)
            else { continue }
            for case let url as URL in walk {
                if url.lastPathComponent.hasPrefix(".build") {
                    walk.skipDescendants()
                } else {
                    paths.append(relativePath(url))
                }
            }
        }
        return paths
    }

    /// Whether a path is that of a file with Swift, C or a script.
    static func isCode(_ path: String) -> Bool {
        if path.hasSuffix(".swift") || path.hasSuffix(".c") { return true }
        let url = root.appending(path: path)
        return path.hasPrefix("Tools/") && url.pathExtension.isEmpty && !isFolder(url)
    }

    /// Returns a Swift file.
    static func file(_ path: String) throws -> File {
        File(path: path, lines: try text(path).components(separatedBy: "\n"))
    }

    private static func relativePath(_ url: URL) -> String {
        String(url.path.dropFirst(root.path.count + (root.path.hasSuffix("/") ? 0 : 1)))
    }

    /// Returns the sorted names of the folders in a folder of the project.
    static func folders(in folder: String) -> [String] {
        let base = root.appending(path: folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base.path)) ?? []
        return names.filter { isFolder(base.appending(path: $0)) }.sorted()
    }

    private static func isFolder(_ url: URL) -> Bool {
        (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    }

    /// Returns the text of a file of any kind, by its path relative to the project's folder.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the paths of all articles and other Markdown files, relative to the project's folder.
    static func articles() throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".md") }
        return files.sorted() + paths(below: ["Sources", "Tests", "Tools"], extension: "md")
    }

    /// Returns all Swift files of the project.
    static func all() throws -> [File] {
        try files(below: "Sources") + files(below: "Tests") + files(below: "Tools")
    }
}

extension SourceTree.File {
    /// The path of the file's folder.
    var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// The file's name without its extension, and without the part after a plus sign.
    var baseName: String? {
        path.split(separator: "/").last?.split(separator: ".").first?.split(separator: "+").first.map(String.init)
    }

    /// The modules that this file imports.
    var imports: [String] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), words.count > place + 1 else { return nil }
            let isImport = words[..<place].allSatisfy {
                $0.hasPrefix("@") || ["public", "package", "internal", "private", "fileprivate"].contains($0)
            }
            return isImport ? String(words[place + 1].split(separator: ".")[0]) : nil
        }
    }
}
