import ArgumentParser

/// The forms in which results are written.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, jsonl, csv
}
