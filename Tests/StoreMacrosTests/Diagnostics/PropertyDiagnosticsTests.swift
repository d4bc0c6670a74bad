import Testing

@Suite struct PropertyDiagnosticsTests {
    @Test(arguments: [
        ("State.idle", "State"), ("Point(x: 1)", "Point"), (".idle", "<#Type#>"), ("[]", "<#Type#>"),
        ("nil", "<#Type#>"),
        ("[1, 2.5]", "<#Type#>"), ("[:]", "<#Type#>"), ("!false", "Bool"), ("60 * 60", "<#Type#>"),
    ]) func `a field whose value is no literal needs an explicit type`(value: String, type: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var ▸level = \(value)
                }
                """,
            [
                .error(
                    "'level' needs an explicit type: the macro sees the source, not the inferred type",
                    fixIt: "add ': \(type)'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var level: \(type) = \(value)
                }
                """
        )
    }

    @Test func `a diagnostic about the type of a literal is at the name`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID(.assigned) var ▸id = "a"
                    @Reference var ▸room = 3
                }
                """,
            [
                .error("the store assigns integers: 'id' cannot be 'String'"),
                .error("'room' does not refer to a record: 'Int' is not a 'Reference' or a collection of references"),
            ])
    }

    @Test func `the public initializer is only for public structs without one, and sets all that has no value`() {
        expectDiagnostics(
            in: """
                @Record(publicInit: ▸true)
                struct Sensor {
                    @ID var id: Int
                }
                """,
            [.error("'Sensor' is not public, so leave out 'publicInit': it has Swift's initializer")])
        expectDiagnostics(
            in: """
                @Record("probe", publicInit: ▸true)
                public struct Sensor {
                    @ID public var id: Int
                    var ▸level: Int
                    var note: String?
                    public init() { id = 0; level = 0 }
                }
                """,
            [
                .error("'Sensor' declares an initializer, so leave out 'publicInit'"),
                .error(
                    "'level' is not public, so the public initializer cannot set it: give it an initial value, "
                        + "or make it public"),
            ])
        expectDiagnostics(
            in: """
                @Record(publicInit: ▸isPublic)
                public struct Sensor {
                    @ID public var id: Int
                }
                """,
            [.error("'publicInit' must be 'true' or 'false'")])
    }

    @Test func `a lazy property is refused`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸lazy var level: Int = 3
                }
                """,
            [.error("'level' cannot be lazy: reading a record must not change it")]
        )
    }

    @Test(arguments: ["weak", "unowned"]) func `a reference that does not own is refused`(modifier: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸\(modifier) var owner: Owner?
                }
                """,
            [.error("'owner' cannot be '\(modifier)' and a stored field; mark it '@Transient' or change it")]
        )
    }

    @Test func `property wrappers are refused`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸@Clamped var level: Int
                    @available(*, deprecated) var old: Int
                }
                """,
            [
                .error(
                    "'@Clamped' on 'level': fields cannot have property wrappers or "
                        + "other macros, which change the stored value"
                )
            ]
        )
    }

    @Test func `a destructured declaration is refused`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var ▸(low, high) = (1, 2)
                }
                """,
            [.error("a stored field needs a declaration of its own")]
        )
    }

    @Test(arguments: [
        ("(Int, Int)", "use a struct marked '@Embedded'"),
        ("() -> Void", "the store cannot hold functions; mark it '@Transient'"),
        ("any Codable", "a field has one concrete type; use an enum that is Codable for alternatives"),
        ("Any", "a field has one concrete type; use an enum that is Codable for alternatives"),
        ("AnyObject", "a field has one concrete type; use an enum that is Codable for alternatives"),
        ("some Codable", "a field has one concrete type; use an enum that is Codable for alternatives"),
        ("Codable", "a field has one concrete type; use an enum that is Codable for alternatives"),
        ("Error", "a field has one concrete type; use an enum that is Codable for alternatives"),
        ("Hashable & Codable", "a field has one concrete type; use an enum that is Codable for alternatives"),
        ("Int.Type", "the store cannot hold types"),
        ("Void", "it holds no value"),
        ("UnsafeRawPointer", "it is valid only in this process; mark it '@Transient'"),
        ("Swift.UnsafePointer<Int>", "it is valid only in this process; mark it '@Transient'"),
        ("Task<Void, Never>", "it is valid only in this process; mark it '@Transient'"),
    ]) func `a type without a stored form is refused by name`(type: String, advice: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var level: ▸\(type)
                }
                """,
            [.error("'level' cannot be stored as '\(type)': \(advice)")]
        )
    }

    @Test(arguments: [
        ("Character", "String"), ("Substring", "String"), ("CGFloat", "Double"), ("Float16", "Float"),
        ("Float80", "Double"), ("Int!", "Int?"), ("NSDate", "Date"),
    ]) func `a type with a storable relative is exchanged for it`(type: String, replacement: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var level: ▸\(type)
                }
                """,
            [
                .error(
                    "'level' cannot be stored as '\(type)': use '\(replacement)'",
                    fixIt: "replace '\(type)' with '\(replacement)'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var level: \(replacement)
                }
                """
        )
    }

    @Test(arguments: ["Int??", "Int???", "Optional<Int?>", "Swift.Optional<Int>?", "(Int?)?", "(Int)??"])
    func `an optional of an optional becomes one`(type: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var level: ▸\(type)
                    var levels: [String: ▸\(type)]
                }
                """,
            ["level", "levels"].map { name in
                .error(
                    "'\(name)' cannot be stored as '\(type)': use 'Int?', or an enum with a case for each meaning",
                    fixIt: "replace '\(type)' with 'Int?'"
                )
            },
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var level: Int?
                    var levels: [String: Int?]
                }
                """
        )
    }

    @Test func `an unsupported type is found inside others`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var levels: [String: ▸Character?]
                    var points: Set<▸(Int, Int)>
                    var types: [▸Int.Type]?
                    var later: (@Sendable ▸() -> Int)?
                }
                """,
            [
                .error(
                    "'levels' cannot be stored as 'Character': use 'String'", fixIt: "replace 'Character' with 'String'"
                ),
                .error("'points' cannot be stored as '(Int, Int)': use a struct marked '@Embedded'"),
                .error("'types' cannot be stored as 'Int.Type': the store cannot hold types"),
                .error(
                    "'later' cannot be stored as '() -> Int': the store cannot hold functions; mark it '@Transient'"),
            ]
        )
    }

    @Test func `a constant with a value becomes a variable`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    let ▸level: Int = 3
                    @Transient let version: Int = 1
                }
                """,
            [
                .error(
                    "'level' is a 'let' with an initial value, which reading from the store cannot replace",
                    fixIt: "replace 'let' with 'var'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var level: Int = 3
                    @Transient let version: Int = 1
                }
                """
        )
    }

    @Test func `a transient property starts with a value`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Transient var ▸cache: [Int]
                    @Transient var last: Int?
                }
                """,
            [
                .error(
                    "'@Transient' 'cache' needs an initial value, because the store does not keep it",
                    fixIt: "add '= <#value#>'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Transient var cache: [Int] = <#value#>
                    @Transient var last: Int?
                }
                """
        )
    }
}
