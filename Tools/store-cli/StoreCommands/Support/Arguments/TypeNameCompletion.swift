import ArgumentParser
import StoreEngine
import StoreRuntime

/// Completes the names of record types, from the store that the earlier words name.
enum TypeNameCompletion {
    static var kind: CompletionKind { .custom { words, _, prefix in names(words).filter { $0.hasPrefix(prefix) } } }

    private static func names(_ words: [String]) -> [String] {
        var path = TerminalSize.variable("MODELSTORE_DIR")
        for (index, word) in words.enumerated() {
            if word == "--store", index + 1 < words.count { path = words[index + 1] }
            if word.hasPrefix("--store=") { path = String(word.dropFirst("--store=".count)) }
        }
        // Completion in a shell cannot show an error.
        guard let path, let store = try? StoreAccess.openForReading(path) else { return [] }
        defer { store.close() }
        return store.recordTypes.map(\.name)
    }
}
