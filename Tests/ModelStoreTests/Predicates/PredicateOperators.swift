import Foundation

/// The operators of Foundation's predicates.
enum PredicateOperators {
    /// Returns the names of all operators, from the symbols of the Foundation library in this process.
    static func all() throws -> Set<String> {
        // Reads through a handle: a kernel file returns one page per read, and only a handle continues.
        let bytes = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd() ?? Data()
        let maps = String(decoding: bytes, as: UTF8.self)
        let line = maps.split(separator: "\n").first { $0.hasSuffix("/libFoundationEssentials.so") }
        guard let path = line?.split(separator: " ").last else { return [] }
        let symbols = try Data(contentsOf: URL(fileURLWithPath: String(path))).split(separator: 0)
        var names: Set<String> = []
        for bytes in symbols where bytes.starts(with: "$s20FoundationEssentials20Predicate".utf8) {
            guard let name = name(String(decoding: bytes, as: UTF8.self)) else { continue }
            names.insert(name)
        }
        // These are not expressions, except the last, which Foundation's types exclude from predicates.
        return names.subtracting([
            "ArithmeticOperator", "ComparisonOperator", "PredicateRegex", "VariableID", "ExpressionEvaluate",
        ])
    }

    /// Returns the operator type that a symbol describes; nil for other symbols.
    private static func name(_ symbol: String) -> String? {
        guard symbol.hasSuffix("Mn"), let text = demangled(symbol) else { return nil }
        let start = "nominal type descriptor for FoundationEssentials.PredicateExpressions."
        guard text.hasPrefix(start), !text.dropFirst(start.count).contains(where: { ".<( ".contains($0) }) else {
            return nil
        }
        return String(text.dropFirst(start.count))
    }

    private static func demangled(_ symbol: String) -> String? {
        guard let text = unsafe demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}

@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
