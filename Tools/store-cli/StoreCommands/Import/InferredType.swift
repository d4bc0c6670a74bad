import Foundation
import StoreEngine

/// The common type of all values seen for one field, collected value by value.
///
/// Every value of the input is added before the type is read, so that a single fraction in the last line still makes a column of
/// numbers doubles. If the values have no common type, the type is JSON (in CSV: text), which loses nothing.
final class InferredType {
    /// How deep structs are inspected. Deeper values stay JSON.
    private static let maximumDepth = 8
    /// An object with more keys than this counts as a dictionary, and stays JSON.
    private static let maximumMembers = 64

    private enum Kind: String {
        case none = "nothing"
        case bool = "true or false"
        case number = "a number"
        case date = "a date"
        case uuid = "a UUID"
        case text = "a text"
        case array = "an array"
        case object = "an object"
    }

    /// The kinds of values, each with the line of its first occurrence.
    private var firstLines: [Kind: Int] = [:]
    private var hasEmptyText = false
    private var element: InferredType?
    private var members = InferredFields()
    private var hasFraction = false
    private var hasNegative = false
    private var needsUnsigned = false
    private var exceedsIntegers = false
    private var exceedsDouble = false
    private let isText: Bool
    private let depth: Int

    /// - Parameter isText: whether the values are texts of CSV.
    init(isText: Bool, depth: Int = 0) {
        self.isText = isText
        self.depth = depth
    }

    /// Adds a JSON value.
    func add(_ json: JSONValue, line: Int) {
        switch json {
        case .null: note(.none, line)
        case .bool: note(.bool, line)
        case .number(let number):
            note(.number, line)
            add(number)
        case .string(let text): note(Self.kind(of: text), line)
        case .array(let elements):
            note(.array, line)
            let element = element ?? InferredType(isText: false, depth: depth)
            self.element = element
            for value in elements { element.add(value, line: line) }
        case .object(let members):
            note(.object, line)
            if depth < Self.maximumDepth, self.members.count <= Self.maximumMembers {
                self.members.add(members, line: line, depth: depth + 1)
            }
        }
    }

    /// Adds a CSV field.
    func add(_ cell: CSVField, line: Int) {
        let text = cell.text
        if text.isEmpty {
            // In a column of texts, quoted emptiness is an empty text. In other columns, some programs quote every field.
            if cell.isQuoted { hasEmptyText = true } else { note(.none, line) }
        } else if text == "true" || text == "false" {
            note(.bool, line)
        } else if let number = Self.csvNumber(text) {
            note(.number, line)
            add(number)
        } else {
            note(Self.kind(of: text), line)
        }
    }

    /// Whether some row had no value.
    var hasNone: Bool { firstLines[.none] != nil || (hasEmptyText && type != .string) }

    /// The type that fits every value seen, apart from missing ones.
    var type: FieldType {
        let kinds = Set(firstLines.keys).subtracting([.none])
        guard let kind = kinds.first else { return .string }
        if kinds.count > 1 { return isText || kinds.isSubset(of: [.date, .uuid, .text]) ? .string : .json }
        switch kind {
        case .bool: return .bool
        case .number: return numberType
        case .date: return .date
        case .uuid: return .uuid
        case .array:
            guard let element, !element.firstLines.isEmpty else { return .array(.json) }
            return .array(element.hasNone ? .optional(element.type) : element.type)
        case .object:
            guard depth < Self.maximumDepth, (1...Self.maximumMembers).contains(members.count) else { return .json }
            return .embedded(EmbeddedSchema(fields: members.fields(required: [])))
        case .text, .none: return .string
        }
    }

    /// Describes the first two kinds of values and their lines, if there are several kinds.
    var conflict: String? {
        let seen = firstLines.filter { $0.key != .none }.sorted { $0.value < $1.value }
        guard seen.count > 1 else { return nil }
        return seen.prefix(2).map { "\($0.key.rawValue) in line \($0.value)" }.joined(separator: " and ")
    }

    private var numberType: FieldType {
        if exceedsIntegers { return .decimal }
        if hasFraction { return exceedsDouble ? .decimal : .double }
        if needsUnsigned { return hasNegative ? .decimal : .uint64 }
        return .int64
    }

    private func note(_ kind: Kind, _ line: Int) { if firstLines[kind] == nil { firstLines[kind] = line } }

    private func add(_ number: JSONNumber) {
        if number.text.hasPrefix("-") { hasNegative = true }
        guard Self.isInteger(number) else {
            hasFraction = true
            return
        }
        if number.int64 == nil {
            if number.uint64 == nil { exceedsIntegers = true } else { needsUnsigned = true }
        }
        if number.exactDouble == nil { exceedsDouble = true }
    }

    /// Returns the number in a CSV field, if its text can be restored from the number. That excludes 007 and an account number of
    /// thirty digits.
    private static func csvNumber(_ text: String) -> JSONNumber? {
        guard text != "-0", let number = JSONNumber(text: text) else { return nil }
        return !isInteger(number) || number.int64 != nil || number.uint64 != nil ? number : nil
    }

    private static func isInteger(_ number: JSONNumber) -> Bool {
        !number.text.utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
    }

    private static func kind(of text: String) -> Kind {
        let count = text.utf8.count
        if count == 36, UUID(uuidString: text) != nil { return .uuid }
        // A date alone, or a time without its zone, does not identify a moment.
        let startsWithDigit = text.utf8.first.map { (48...57).contains($0) } == true
        if (20...40).contains(count), startsWithDigit, Date(iso8601: text) != nil { return .date }
        return .text
    }
}
