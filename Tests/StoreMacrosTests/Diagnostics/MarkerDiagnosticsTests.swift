import Testing

@Suite struct MarkerDiagnosticsTests {
    @Test(arguments: ["ID", "Indexed", "Unique", "Transient", "Renamed(from: \"a\")"])
    func `a marker outside a record means nothing`(marker: String) {
        let name = marker.prefix { $0 != "(" }
        expectDiagnostics(
            in: """
                struct Room {
                    ▸@\(marker) var name: String
                }
                """,
            [
                .error(
                    "'@\(name)' is valid only inside a struct marked '@Record' or '@Embedded'",
                    fixIt: "remove '@\(marker)'"
                )
            ],
            fixed: """
                struct Room {
                    var name: String
                }
                """
        )
    }

    @Test func `a marker is for stored properties`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸@Indexed func level() -> Int { 3 }
                    ▸@Unique var twice: Int { 6 }
                    ▸@Indexed
                    static var limit: Int = 3
                }
                """,
            [
                .error("'@Indexed' is for stored properties", fixIt: "remove '@Indexed'"),
                .error("'@Unique' is for stored properties", fixIt: "remove '@Unique'"),
                .error("'@Indexed' is for stored properties", fixIt: "remove '@Indexed'"),
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    func level() -> Int { 3 }
                    var twice: Int { 6 }
                    static var limit: Int = 3
                }
                """
        )
    }

    @Test func `a marker is given once`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Indexed ▸@Indexed var room: String
                }
                """,
            [.error("'room' is marked '@Indexed' twice", fixIt: "remove '@Indexed'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Indexed var room: String
                }
                """
        )
    }

    @Test func `a unique field has an index`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸@Indexed @Unique var serial: String
                }
                """,
            [.warning("'@Unique' already gives 'serial' an index", fixIt: "remove '@Indexed'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Unique var serial: String
                }
                """
        )
    }

    @Test(arguments: ["ID", "Indexed", "Unique", "Renamed(from: \"a\")"])
    func `a transient property has nothing in the store to mark`(marker: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Transient ▸@\(marker) var cache: Int = 0
                }
                """,
            [
                .error(
                    "'cache' is '@Transient', so it is not in the store and '@\(marker.prefix { $0 != "(" })' has no effect",
                    fixIt: "remove '@\(marker)'"
                )
            ],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Transient var cache: Int = 0
                }
                """
        )
    }

    @Test func `an index may have an entry for each element`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Indexed var tags: [String]
                    @Indexed var rooms: Set<Int>?
                }
                """, [])
    }

    @Test(arguments: ["[String]", "Set<Int>", "Array<Int>", "([String])"])
    func `elements are not unique`(type: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸@Unique var tags: \(type)
                }
                """,
            [.error("'tags' cannot be '@Unique': '\(type)' has no order as a key", fixIt: "remove '@Unique'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var tags: \(type)
                }
                """
        )
    }

    @Test(arguments: ["[[String]]", "Set<[Int]>", "[String: Int]?", "([String: Int])?"])
    func `a collection is not a key`(type: String) {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    ▸@Indexed var tags: \(type)
                    @Indexed var bytes: [UInt8]
                    @Indexed var isOpen: Bool
                }
                """,
            [.error("'tags' cannot be '@Indexed': '\(type)' has no order as a key", fixIt: "remove '@Indexed'")],
            fixed: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    var tags: \(type)
                    @Indexed var bytes: [UInt8]
                    @Indexed var isOpen: Bool
                }
                """
        )
    }

    @Test func `a collection is not an id, nor part of one`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    ▸@ID var tags: [String]
                    @ID var bytes: [UInt8]
                }
                """,
            [.error("'tags' cannot be '@ID': '[String]' has no order as a key")]
        )
    }

    @Test func `an embedded value has no keys`() {
        expectDiagnostics(
            in: """
                @Embedded
                struct Place {
                    ▸@Indexed var floor: Int
                }
                """,
            [
                .error(
                    "'@Indexed' is for fields of a record; embedded values have no keys and no indexes",
                    fixIt: "remove '@Indexed'"
                )
            ],
            fixed: """
                @Embedded
                struct Place {
                    var floor: Int
                }
                """
        )
    }

    @Test func `old names are other names`() {
        expectDiagnostics(
            in: """
                @Record
                struct Sensor {
                    @ID var id: Int
                    @Renamed(from: ▸"room") var room: String
                    @Renamed(from: ▸"") var level: Int
                    @Renamed(from: ▸"level") var celsius: Double
                    @Renamed(from: "a", ▸"a") var note: String
                    @Renamed(from: ▸"b\\(1)") var other: String
                }
                """,
            [
                .error("'room' already has this name", fixIt: "remove '@Renamed(from: \"room\")'"),
                .error("'@Renamed' needs the name that the field had before"),
                .error("'level' is the name of another field, so it cannot be an old name"),
                .error("'a' is given as an old name twice"),
                .error("an old name must be a string literal without interpolation"),
            ]
        )
    }
}
