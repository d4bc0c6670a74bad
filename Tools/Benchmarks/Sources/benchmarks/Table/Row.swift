import Foundation

/// One row of the table.
struct TableRow: Codable {
    /// The row's name, also for `--only`.
    let name: String
    let what: String
    /// The number of operations in one measurement.
    let operations: Int
    /// The target for ModelStore's speed relative to each side.
    var targets: [SideKind: Double] = [:]
    /// The seconds of each round.
    var seconds: [SideKind: [Double]] = [:]
    var note: String?

    /// Returns the median of a side's rounds in seconds.
    func median(_ side: SideKind) -> Double? {
        guard let all = seconds[side]?.sorted(), !all.isEmpty else { return nil }
        return (all[(all.count - 1) / 2] + all[all.count / 2]) / 2
    }

    /// Returns half the distance between a side's best and worst round, as a fraction of the median.
    func spread(_ side: SideKind) -> Double? {
        guard let all = seconds[side], all.count > 1, let least = all.min(), let most = all.max(),
            let median = median(side), median > 0
        else { return nil }
        return (most - least) / 2 / median
    }

    /// Returns how many times as fast as the other side ModelStore is, or another side in its place.
    func ratio(of side: SideKind = .modelStore, to other: SideKind) -> Double? {
        guard let own = median(side), let others = median(other), own > 0 else { return nil }
        return others / own
    }
}

extension SideKind: CodingKeyRepresentable {}

/// Prints the table.
enum TablePrinter {
    static let header =
        pad("row", 26) + SideKind.allCases.map { pad($0.rawValue, 16, false) }.joined()
        + pad("/GRDB", 9, false) + pad("target", 8, false) + pad("(raw)", 8, false) + pad("/plain", 9, false)
        + pad("/raw", 8, false) + pad("target", 8, false)

    static func line(_ row: TableRow) -> String {
        var line = pad(row.name, 26)
        for side in SideKind.allCases {
            line += pad(row.median(side).map { time($0, row.operations) + spread(row, side) } ?? "-", 16, false)
        }
        for (side, width) in [(SideKind.grdb, 9), (.plainGRDB, 9), (.raw, 8)] {
            line += pad(row.ratio(to: side).map { number($0) } ?? "-", width, false)
            if side == .plainGRDB { continue }
            line += pad(row.targets[side].map { "≥ \(number($0))" } ?? "", 8, false)
            // The speed of raw LMDB is the most that a store on top of it can reach.
            if side == .grdb { line += pad(row.ratio(of: .raw, to: .grdb).map { number($0) } ?? "", 8, false) }
        }
        let missed = row.targets.contains { side, target in row.ratio(to: side).map { $0 < target } ?? false }
        if missed { line += "  below target" }
        return line + "\n    \(row.what)" + (row.note.map { "\n    \($0)" } ?? "")
    }

    private static func time(_ seconds: Double, _ operations: Int) -> String {
        let nanoseconds = seconds / Double(operations) * 1e9
        return nanoseconds < 10_000 ? "\(Int(nanoseconds.rounded())) ns" : "\(number(nanoseconds / 1_000)) µs"
    }

    private static func spread(_ row: TableRow, _ side: SideKind) -> String {
        row.spread(side).map { " ±\(pad("\(Int(($0 * 100).rounded()))", 2, false))%" } ?? ""
    }

    static func number(_ value: Double) -> String { String(format: value < 100 ? "%.2f" : "%.0f", value) }

    static func pad(_ text: String, _ width: Int, _ isLeft: Bool = true) -> String {
        let fill = String(repeating: " ", count: max(0, width - text.count))
        return isLeft ? text + fill : fill + text
    }
}
