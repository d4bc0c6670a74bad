import Testing

/// Compares the table of the article *Components* with the declarations of the module, and with those of SwiftUI.
@Suite("Comparison with SwiftUI") struct ComponentTableTests {
    /// A row: the names in its first two columns, and the verdict.
    private struct Row {
        let text: [String]
        let own: [String]
        let others: [String]
        let verdict: String
    }

    /// The wrappers of SwiftUI, Combine and SwiftData, and the modifiers that pass data or follow the life of a view.
    private static let others = [
        "@State", "@Binding", "@StateObject", "@ObservedObject", "@EnvironmentObject", "@Environment", "@FetchRequest",
        "@SectionedFetchRequest", "@Query", "@Published", "@Bindable", "@AppStorage", "@SceneStorage", "@Entry",
        "@FocusState", "@GestureState", "@Namespace", "@ScaledMetric", "View", "ForEach", "Group", ".id(_:)",
        ".environment(_:_:)", ".transformEnvironment(_:transform:)", ".environmentObject(_:)",
        ".preference(key:value:)",
        ".transformPreference(_:_:)", ".onPreferenceChange(_:perform:)", ".onAppear(perform:)",
        ".onDisappear(perform:)", ".onChange(of:initial:_:)", ".onReceive(_:perform:)", ".task(id:priority:_:)",
        ".equatable()",
    ]

    private static func rows() throws -> [Row] {
        try Document.article("Components").section("Compare wrappers and modifiers").table("here").rows.map { cells in
            let own = Document.codeWords(in: cells[0]).map(Self.name)
            return Row(text: cells, own: own, others: Document.codeWords(in: cells[1]), verdict: cells[2])
        }
    }

    /// Returns the name that a cell's code is about: a wrapper, or a function of the context or of the surroundings of a child.
    private static func name(_ code: String) -> String {
        if code.hasPrefix("@") { return code }
        if let match = code.firstMatch(of: /\$0\.(\w+)/) { return "EnvironmentOverrides.\(match.output.1)" }
        if code.contains("$0[") { return "EnvironmentOverrides.subscript" }
        if let match = code.firstMatch(of: /^context\.(\w+)/) { return "ComponentContext.\(match.output.1)" }
        return code
    }

    /// Returns the wrappers and macros of a module, and the functions that an update calls.
    private static func declarations(of module: String) throws -> [String] {
        // `PublicInterfaceTests` hold the list true.
        let list = try SourceTree.text("Tests/ModelStoreTests/Compiling/PublicInterface/\(module).txt")
        return list.split(separator: "\n").compactMap { line in
            if let match = line.firstMatch(of: /^(\w+): @propertyWrapper/) { return "@\(match.output.1)" }
            if let match = line.firstMatch(of: /^(\w+)\(.*\): @attached/), module == "ModelStoreComponents" {
                return "@\(match.output.1)"
            }
            return line.firstMatch(of: /^(?:ComponentContext|EnvironmentOverrides)\.\w+/).map { String($0.output) }
        }
    }

    @Test func `each wrapper and each function for updates has a row, and each row names one`() throws {
        let declared = try ["StoreRuntime", "StoreEngine", "ModelStoreComponents"].flatMap(Self.declarations)
        #expect(declared.count > 20)
        let rows = try Self.rows()
        #expect(Set(rows.flatMap(\.own)) == Set(declared))
        #expect(rows.filter { $0.own.count > 1 }.map(\.text) == [])
    }

    @Test func `each wrapper and modifier of SwiftUI has one row`() throws {
        #expect(try Self.rows().flatMap(\.others).sorted() == Self.others.sorted())
    }

    @Test func `each row has a verdict that fits its names, and says what differs`() throws {
        for row in try Self.rows() {
            let expected: [String] =
                switch (row.own.isEmpty, row.others.isEmpty) {
                case (false, false): ["same", "different"]
                case (true, false): ["missing"]
                case (false, true): ["own"]
                case (true, true): []
                }
            #expect(expected.contains(row.verdict), "\(row.text)")
            #expect(row.text.count == 4 && row.text[3].hasSuffix("."), "\(row.text)")
            // What is missing by name is not there under that name.
            let names = row.verdict == "missing" ? row.others.filter { $0.hasPrefix("@") } : []
            #expect(Set(names).isDisjoint(with: try Self.declarations(of: "ModelStoreComponents")), "\(row.text)")
        }
    }
}
