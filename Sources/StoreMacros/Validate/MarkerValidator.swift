import SwiftDiagnostics
import SwiftSyntax

/// Validates the markers on a record's properties, separately and in combination.
struct MarkerValidator {
    let structure: ParsedStruct

    func validate(_ report: inout DiagnosticReport) {
        for variable in structure.otherProperties {
            for attribute in variable.attributes.plain where Marker(attribute) != nil {
                report.add(.markerNotOnStoredProperty(attribute.baseName), at: attribute, fixIts: [.remove(attribute)])
            }
        }
        for property in structure.properties {
            validateDuplicates(property, &report)
            if property.isTransient { validateTransient(property, &report) }
            ReferenceValidator(property: property).validate(&report)
            validateIndexMarkers(property, &report)
        }
        validateOldNames(&report)
    }

    private func validateDuplicates(_ property: ParsedProperty, _ report: inout DiagnosticReport) {
        var seen: Set<Marker.Kind> = []
        for marker in property.markers where !seen.insert(marker.kind).inserted {
            report.add(
                .duplicateMarker(marker.kind.rawValue, property.name), at: marker.attribute,
                fixIts: [.remove(marker.attribute)]
            )
        }
    }

    private func validateTransient(_ property: ParsedProperty, _ report: inout DiagnosticReport) {
        for marker in property.markers where marker.kind != .transient {
            report.add(
                .transientMarked(marker.kind.rawValue, property.name), at: marker.attribute,
                fixIts: [.remove(marker.attribute)]
            )
        }
    }

    private func validateIndexMarkers(_ property: ParsedProperty, _ report: inout DiagnosticReport) {
        guard !property.isTransient else { return }
        if property.marker(.unique) != nil, let indexed = property.marker(.indexed) {
            report.add(.redundantIndexed(property.name), at: indexed.attribute, fixIts: [.remove(indexed.attribute)])
        }
        guard let type = property.type, type.isCollection else { return }
        for marker in property.markers where [.id, .indexed, .unique].contains(marker.kind) {
            // An index of a collection has an entry for each element.
            if marker.kind == .indexed, let element = type.collectionElement, !element.isCollection { continue }
            // Without the marker, the record would have no id.
            let fixIts = marker.kind == .id ? [] : [FixIt.remove(marker.attribute)]
            report.add(
                .unindexableType(marker.kind.rawValue, type.trimmedDescription, property.name), at: marker.attribute,
                fixIts: fixIts
            )
        }
    }

    private func validateOldNames(_ report: inout DiagnosticReport) {
        let current = Set(structure.properties.filter { !$0.isTransient }.map(\.name))
        var seen: Set<String> = []
        for property in structure.properties {
            for marker in property.markers where marker.kind == .renamed {
                if marker.oldNames.isEmpty { report.add(.oldNameMissing(), at: marker.attribute) }
                for (expression, name) in marker.oldNames {
                    guard let name else {
                        report.add(.oldNameNotLiteral(), at: expression)
                        continue
                    }
                    if name.isEmpty {
                        report.add(.oldNameMissing(), at: expression)
                    } else if name == property.name {
                        let fixIts = marker.oldNames.count == 1 ? [FixIt.remove(marker.attribute)] : []
                        report.add(.oldNameIsCurrent(name), at: expression, fixIts: fixIts)
                    } else if current.contains(name) {
                        report.add(.oldNameInUse(name), at: expression)
                    } else if !seen.insert(name).inserted {
                        report.add(.oldNameTwice(name), at: expression)
                    }
                }
            }
        }
    }
}
