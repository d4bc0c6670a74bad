import Foundation
import ModelStore

/// The floors on which sensors hang; indexable by name.
enum Floor: String, IndexableValue, CaseIterable {
    case ground, first, attic
}

/// An enum that does not mention ModelStore.
enum Mode: Int, Codable {
    case off, on
}

@Record
struct Sensor {
    @ID var id: String
    @Indexed var room: String
    @Unique var serial: String
    var celsius: Double = 0
    var note: String?
    var floor: Floor = .ground
}

/// The same record in a later version of the program.
@Record("Sensor")
struct OtherSensor {
    @ID var id: String
    @Indexed var room: String
    @Unique var serial: String
    var celsius: Int = 0
    var humidity: Double?
}

@Record
struct Account {
    @ID(.assigned) var id: Int = 0
    @Unique var email: String
    @Indexed var balance: Int
    var opened: Date = .now
    var token: UUID = .newID
}

@Record
@Index("count", "sku")
struct Stock {
    @ID var warehouse: Int32
    @ID var sku: String
    var count: Int
}

@Record
struct Visit {
    @ID var id: Int
    var at: Date? = .now
    var token: UUID? = .newID
}

@Embedded
struct Place {
    var street: String
    var city: String
    var floor: Floor?
}

/// A type that is only `Codable`.
struct Extra: Codable, Equatable, Sendable {
    var tags: [String: Int]
}

@Record
struct Everything {
    @ID let key: String
    var integers: [Int64]
    var byte: Int8
    var word: UInt16
    var long: UInt64
    var float: Float
    var double: Double
    var flag: Bool
    var data: Data
    var bytes: [UInt8]
    var uuid: UUID
    var date: Date
    var url: URL
    var decimal: Decimal
    var duration: Duration
    var floor: Floor
    var mode: Mode
    var maybeMode: Mode?
    var names: Set<String>
    var scores: [String: Double]
    var nested: [[String]?]
    var place: Place
    var extra: Extra
    @Transient var cache: Int = 7
}

extension Everything {
    static let ordinary = Everything(
        key: "o", integers: [1, -2], byte: 3, word: 4, long: 5, float: 1.5, double: 2.25, flag: true,
        data: Data([1, 2]), bytes: [3, 0, 4], uuid: UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA") ?? UUID(),
        date: Date(timeIntervalSinceReferenceDate: 1.125), url: URL(filePath: "/tmp/x"), decimal: 12.34,
        duration: .milliseconds(1_500), floor: .attic, mode: .on, maybeMode: .off, names: ["a", "b"],
        scores: ["x": 1], nested: [["q"], nil], place: Place(street: "Main", city: "Ulm", floor: .first),
        extra: Extra(tags: ["t": 1]))

    static let extreme = Everything(
        key: String(repeating: "\u{0}é😀", count: 300), integers: [.min, .max], byte: .min, word: .max, long: .max,
        float: -.infinity, double: -.leastNonzeroMagnitude, flag: false, data: Data(), bytes: [], uuid: .newID,
        date: .distantPast, url: URL(string: "b?c", relativeTo: URL(string: "http://a/x/")) ?? URL(filePath: "/"),
        decimal: -Decimal.greatestFiniteMagnitude, duration: .seconds(Int64.min), floor: .ground, mode: .off,
        maybeMode: nil, names: [], scores: ["": .infinity, "\u{10FFFF}": -0.0], nested: [],
        place: Place(street: "", city: "", floor: nil), extra: Extra(tags: [:]))
}
