/// The code that an article shows for a package's manifest, as a file that the compiler can check.
struct ManifestCode {
    /// A whole manifest; arguments of `Package(name:)`; or elements `.package(…)` and `.product(…)`.
    let source: String

    init(_ block: CodeBlock, path: String) {
        // The line before the code, because an expression cannot contain `#sourceLocation`.
        let place = "#sourceLocation(file: \"\(path)\", line: \(block.line - 1))\n"
        let code = block.lines.joined(separator: "\n")
        if code.contains("import PackageDescription") {
            source = place + "\n" + code + "\n"
        } else if code.hasPrefix("dependencies:") || code.hasPrefix("targets:") {
            source = "import PackageDescription\n\(place)let package = Package(name: \"Program\",\n\(code)\n)\n"
        } else {
            let lines = block.lines.enumerated().map { index, line in
                if line.hasPrefix(".package(") { return "let dependency\(index): Package.Dependency = \(line)" }
                return line.hasPrefix(".product(") ? "let product\(index): Target.Dependency = \(line)" : line
            }
            source = place + "import PackageDescription\n" + lines.joined(separator: "\n") + "\n"
        }
    }
}
