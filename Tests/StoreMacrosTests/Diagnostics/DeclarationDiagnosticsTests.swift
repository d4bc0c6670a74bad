import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import Testing

@testable import StoreMacros

@Suite struct DeclarationDiagnosticsTests {
    @Test(arguments: ["final class", "enum", "actor"]) func `only structs can be records`(kind: String) {
        expectDiagnostics(
            in: """
                ▸@Record
                \(kind) Sensor {
                }
                """,
            [.error("'@Record' needs a struct: the store holds values")]
        )
    }

    @Test func `only structs can be embedded`() {
        expectDiagnostics(
            in: """
                ▸@Embedded
                enum Place {
                }
                """,
            [.error("'@Embedded' needs a struct: the store holds values")]
        )
    }

    @Test func `a record cannot be generic`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor▸<T: Sendable> {
                    @ID var id: Int
                }
                """,
            [.error("'Sensor' cannot be generic: the store keeps one schema for each type")]
        )
    }

    @Test func `a record cannot be inside a generic type`() {
        expectDiagnostics(
            in: """
                struct House<Room> {
                    @Record
                    struct ▸Sensor {
                        @ID var id: Int
                    }
                }
                """,
            [.error("'Sensor' cannot be inside a generic type: the store keeps one schema for each type")]
        )
    }

    @Test func `a nested private record becomes fileprivate`() {
        expectDiagnostics(
            in: """
                enum House {
                    @Record
                    ▸private struct Sensor {
                        @ID var id: Int
                    }
                }
                """,
            [
                .error(
                    "the extension generated for 'Sensor' cannot reach a private type inside another type",
                    fixIt: "replace 'private' with 'fileprivate'"
                )
            ],
            fixed: """
                enum House {
                    @Record
                    fileprivate struct Sensor {
                        @ID var id: Int
                    }
                }
                """
        )
    }

    @Test func `a record inside a nested private type is out of reach too`() {
        expectDiagnostics(
            in: """
                enum Street {
                    private enum House {
                        @Record
                        struct ▸Sensor {
                            @ID var id: Int
                        }
                    }
                }
                """,
            [.error("the extension generated for 'Sensor' cannot reach a private type inside another type")]
        )
    }

    @Test func `a record is copyable`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor: ▸~Copyable {
                    @ID var id: Int
                }
                """,
            [.error("'Sensor' must be copyable: the store returns copies")]
        )
    }

    @Test func `conditional members are refused`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸#if DEBUG
                    var trace: String
                    #endif
                }
                """,
            [.error("'#if' inside 'Sensor' would give it a schema for each build: move it out of the struct")]
        )
    }

    @Test func `generated names are taken`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var ▸recordID: Int
                    var ▸ID: Int
                    struct ▸Fields {}
                    static let ▸fields = 3
                    static var ▸recordSchema: Int { 3 }
                    var fields: Int
                }
                """,
            [
                .error("'recordID' is the name of a member that '@Record' generates"),
                .error("'ID' is the name of a member that '@Record' generates"),
                .error("'Fields' is the name of a member that '@Record' generates"),
                .error("'fields' is the name of a member that '@Record' generates"),
                .error("'recordSchema' is the name of a member that '@Record' generates"),
            ]
        )
    }

    @Test func `a type called ID is taken for anything but the id`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    enum ▸ID {}
                    @ID var id: Int
                }
                """,
            [.error("'ID' is the name of a member that '@Record' generates")]
        )
    }

    /// Calls the validator directly, because the test support takes most of a minute to expand this many properties.
    @Test func `fields have a limit`() throws {
        let properties = (0...DeclarationValidator.fieldLimit).map { "var field\($0): Int" }.joined(separator: "\n")
        let declaration: DeclSyntax = "struct Sensor {\n\(raw: properties)\n}"
        let structure = try #require(
            ParsedStruct(declaration.cast(StructDeclSyntax.self), attribute: "@Record", context: [])
        )
        var report = DiagnosticReport()
        DeclarationValidator(
            structure: structure, attribute: "Record", generatedNames: [], generatedStaticNames: [],
            addsEquatable: false
        )
        .validate(&report)
        #expect(report.diagnostics.map(\.message) == ["4097 fields are more than the 4096 a record can have"])
    }

    @Test func `a name in the store is a plain word`() {
        expectDiagnostics(
            in: """
                @Record(▸"my sensors")
                struct Sensor {
                    @ID var id: Int
                }
                @Record(▸"")
                struct Room {
                    @ID var id: Int
                }
                @Record(▸"a\\(1)")
                struct Floor {
                    @ID var id: Int
                }
                """,
            [
                .error("\"my sensors\" cannot be a name in the store: use 1 to 128 letters, digits, '_', '-' and '.'"),
                .error("\"\" cannot be a name in the store: use 1 to 128 letters, digits, '_', '-' and '.'"),
                .error("the name in the store must be a string literal without interpolation"),
            ]
        )
    }

    @Test(arguments: [("Sensor", "Sensor: Equatable"), ("Sensor: Codable", "Sensor: Codable, Equatable")])
    func `an own equality needs the conformance beside it`(head: String, fixed: String) {
        func source(_ head: String, _ mark: String) -> String {
            """
            @Record
            struct \(head) {
                @ID var id: Int
                static func \(mark)== (left: Self, right: Self) -> Bool { left.id == right.id }
            }
            """
        }
        expectDiagnostics(
            in: source(head, "▸"),
            [
                .error(
                    "'Sensor' has an '==' of its own, so it must declare 'Equatable' itself",
                    fixIt: head == "Sensor" ? "add ': Equatable'" : "add ', Equatable'"
                )
            ],
            fixed: source(fixed, "")
        )
    }

    @Test func `a transient closure has no equality`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Transient var log: ▸(String) -> Void = { _ in }
                }
                """,
            [
                .error(
                    "records are Equatable and '(String) -> Void' is not: "
                        + "give the struct an '==' without 'log', and declare 'Equatable' on it"
                )
            ]
        )
    }

    @Test func `an embedded value has a field`() {
        expectDiagnostics(
            in: """
                @Embedded
                struct ▸Place {
                    @Transient var floor: Int = 0
                }
                """,
            [.error("'Place' has no stored property")]
        )
    }
}
