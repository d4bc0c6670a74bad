import Foundation

/// The results of a run, as a file.
struct Results: Encodable {
    let rows: [TableRow]
    let footprint: Footprint
}

/// The rows of an earlier run, to compare the ratios of this run with.
struct Baseline: Decodable {
    /// A ratio below this share of the earlier one has fallen.
    private static let leastShare = 0.9

    private let rows: [TableRow]

    init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Prints the ratios that have fallen by more than a tenth, and throws if there are any.
    func check(_ now: [TableRow]) throws {
        var fallen = 0
        for row in now {
            guard let before = rows.first(where: { $0.name == row.name }) else { continue }
            for side in SideKind.allCases where side != .modelStore {
                guard let ratio = row.ratio(to: side), let earlier = before.ratio(to: side),
                    ratio < Self.leastShare * earlier
                else { continue }
                fallen += 1
                print(
                    "\(row.name): \(TablePrinter.number(ratio)) × \(side.rawValue), earlier \(TablePrinter.number(earlier))"
                )
            }
        }
        print("\(now.count) rows compared, \(fallen) ratios fell by more than a tenth")
        if fallen > 0 { throw BenchmarkError("\(fallen) ratios fell by more than a tenth") }
    }
}
