import Foundation
import StoreEngine

/// Every Debian package that apt knows on this machine, as dynamic records: some 60,000 if the package lists are present.
enum PackageCatalog {
    static let schema = RecordSchema(
        name: "Package",
        fields: [
            FieldSchema("key", String.self), FieldSchema("name", String.self), FieldSchema("section", String.self),
            FieldSchema("priority", String.self), FieldSchema("bytes", Int64.self),
            FieldSchema("installed", Int64?.self), FieldSchema("maintainer", String.self),
            FieldSchema("homepage", String?.self), FieldSchema("summary", String.self),
            FieldSchema("depends", [String].self),
        ],
        id: IDSchema([0]),
        indexes: [
            IndexSchema([1]), IndexSchema([2, 4]), IndexSchema([4]), IndexSchema([5]), IndexSchema([6, 1]),
            IndexSchema([3, 5]),
        ])

    /// Whether apt knows enough packages for a meaningful test.
    static let isThere: Bool = records.count > 1_000

    /// One record for each version and architecture of a package.
    static let records: [DynamicRecord] = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/apt-cache")
        process.arguments = ["dumpavail"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var seen: Set<String> = []
        var records: [DynamicRecord] = []
        var fields: [Substring: Substring] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                if let record = record(fields), case .string(let key) = record.values[0], seen.insert(key).inserted {
                    records.append(record)
                }
                fields.removeAll(keepingCapacity: true)
            } else if line.first != " ", let colon = line.firstIndex(of: ":") {
                fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == " " }
            }
        }
        return records
    }()

    private static func record(_ fields: [Substring: Substring]) -> DynamicRecord? {
        guard let name = fields["Package"], let version = fields["Version"] else { return nil }
        func text(_ name: Substring) -> DynamicValue { .string(String(fields[name] ?? "")) }
        func optional(_ name: Substring) -> DynamicValue { fields[name].map { .string(String($0)) } ?? .none }
        let ends = [UInt8](" |(:".utf8)
        let depends = (fields["Depends"] ?? "").utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
            let name = String(Substring(part.drop { ends.contains($0) }.prefix { !ends.contains($0) }))
            return name.isEmpty ? nil : DynamicValue.string(name)
        }
        return DynamicRecord(values: [
            .string("\(name)/\(version)/\(fields["Architecture"] ?? "")"), .string(String(name)), text("Section"),
            text("Priority"), .int(fields["Size"].flatMap { Int64($0) } ?? 0),
            fields["Installed-Size"].flatMap { Int64($0) }.map { .int($0) } ?? .none, text("Maintainer"),
            optional("Homepage"), text("Description"), .list(depends),
        ])
    }
}
