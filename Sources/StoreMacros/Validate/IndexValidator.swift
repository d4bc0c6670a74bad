import SwiftDiagnostics
import SwiftSyntax

/// Validates a record's indexes, and returns the numbers of their fields.
struct IndexValidator {
    let structure: ParsedStruct
    let identity: RecordDescription.Identity?

    private var fields: [ParsedProperty] { structure.properties.filter { !$0.isTransient } }

    /// Returns the indexes of single fields in the order of the fields, then those that are declared on the record.
    func indexes(_ report: inout DiagnosticReport) -> [RecordDescription.Index] {
        var found = fieldIndexes()
        for marker in structure.indexes {
            guard let numbers = numbers(of: marker, &report) else { continue }
            if let identity, identity.indices == numbers {
                report.add(.indexIsID(), at: marker.attribute, fixIts: [.remove(marker.attribute)])
            } else if let earlier = found.firstIndex(where: { $0.fields == numbers }) {
                reportTwice(marker, earlier: &found[earlier], &report)
            } else {
                found.append(RecordDescription.Index(fields: numbers, isUnique: marker.isUnique))
            }
        }
        return found
    }

    private func fieldIndexes() -> [RecordDescription.Index] {
        fields.enumerated().compactMap { number, property in
            // Records are stored by id, so the id needs no index.
            if case .single(number, _, _) = identity { return nil }
            if property.marker(.unique) != nil { return RecordDescription.Index(fields: [number], isUnique: true) }
            if property.marker(.indexed) != nil { return RecordDescription.Index(fields: [number], isUnique: false) }
            return nil
        }
    }

    /// Returns the numbers of an index's fields; nil after an error.
    private func numbers(of marker: IndexMarker, _ report: inout DiagnosticReport) -> [Int]? {
        let fields = fields
        var numbers: [Int] = []
        var isSound = true
        for (expression, name) in marker.fields {
            guard let name else {
                report.add(.indexNameNotLiteral(), at: expression)
                isSound = false
                continue
            }
            guard let number = fields.firstIndex(where: { $0.name == name }) else {
                reportUnknown(name, at: expression, &report)
                isSound = false
                continue
            }
            if numbers.contains(number) {
                report.add(.indexRepeatsProperty(name), at: expression)
                isSound = false
            } else if let type = fields[number].type, type.isCollection {
                report.add(.unindexableType("Indexed", type.trimmedDescription, name), at: expression)
                isSound = false
            }
            numbers.append(number)
        }
        guard isSound else { return nil }
        return numbers.count > 1 ? numbers : reportTooFew(marker, numbers, &report)
    }

    private func reportUnknown(_ name: String, at expression: ExprSyntax, _ report: inout DiagnosticReport) {
        if structure.properties.contains(where: { $0.name == name }) {
            report.add(.indexTransientProperty(name), at: expression)
            return
        }
        let nearest = NearestName.of(name, among: fields.map(\.name))
        report.add(
            .indexUnknownProperty(name, record: structure.name), at: expression,
            fixIts: nearest.map { [.replace(expression, with: "\"\($0)\"")] } ?? []
        )
    }

    private func reportTooFew(_ marker: IndexMarker, _ numbers: [Int], _ report: inout DiagnosticReport) -> [Int]? {
        let attribute = marker.attribute.baseName
        guard let number = numbers.first else {
            report.add(.indexEmpty(attribute), at: marker.attribute, fixIts: [.remove(marker.attribute)])
            return nil
        }
        let property = fields[number]
        let replacement = marker.isUnique ? "Unique" : "Indexed"
        report.add(
            .indexOfOne(attribute, use: replacement, property.name), at: marker.attribute,
            fixIts: [.move(marker.attribute, to: "@\(replacement)", on: property)]
        )
        return nil
    }

    /// Reports two indexes of the same fields, and keeps one. It is unique if either of them is.
    private func reportTwice(
        _ marker: IndexMarker, earlier: inout RecordDescription.Index, _ report: inout DiagnosticReport
    ) {
        if marker.isUnique && !earlier.isUnique {
            earlier = RecordDescription.Index(fields: earlier.fields, isUnique: true)
            let plain = structure.indexes.first { !$0.isUnique && $0.fields.map(\.name) == marker.fields.map(\.name) }
            let redundant = plain ?? marker
            report.add(.indexTwice(), at: redundant.attribute, fixIts: [.remove(redundant.attribute)])
        } else {
            report.add(.indexTwice(), at: marker.attribute, fixIts: [.remove(marker.attribute)])
        }
    }
}
