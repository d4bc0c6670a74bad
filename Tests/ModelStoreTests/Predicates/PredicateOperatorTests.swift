import Foundation
import ModelStore
import StoreEngine
import Testing

/// Checks the table of Foundation's operators in the article *Fetching*.
@Suite struct PredicateOperatorTests {
    /// A row of the table: an operator, and a predicate that uses it.
    private struct Row {
        let name: String
        /// The predicate as it is spelled in the article.
        let source: String
        let predicate: Predicate<Crate>

        init(_ name: String, _ source: String, _ predicate: Predicate<Crate>) {
            self.name = name
            self.source = source
            self.predicate = predicate
        }

        /// The result that the article states for a request with this predicate.
        var claim: String {
            do {
                return "`\(try FetchRequest(predicate).request.condition.text)`"
            } catch {
                return "refused"
            }
        }
    }

    private static let rows: [Row] = {
        let (eco, loose, names): (CrateMode?, Loose, [String]) = (.eco, Loose(text: "kitchen"), ["a", "z"])
        let digits = /[0-9]+/
        return [
            Row("Arithmetic", #"$0.load + $0.limit > 2"#, #Predicate<Crate> { $0.load + $0.limit > 2 }),
            Row("ClosedRange", #"(1...3).contains($0.id)"#, #Predicate<Crate> { (1...3).contains($0.id) }),
            Row(
                "CollectionContainsCollection", #"($0.note ?? "").contains("op")"#,
                #Predicate<Crate> { ($0.note ?? "").contains("op") }),
            Row("CollectionIndexSubscript", #"$0.tags[0] == "a""#, #Predicate<Crate> { $0.tags[0] == "a" }),
            Row("CollectionRangeSubscript", #"$0.tags[0..<1].isEmpty"#, #Predicate<Crate> { $0.tags[0..<1].isEmpty }),
            Row("Comparison", #"($0.level ?? 5) > 3"#, #Predicate<Crate> { ($0.level ?? 5) > 3 }),
            Row(
                "Conditional", #"($0.flag ? $0.load : $0.limit) > 1"#,
                #Predicate<Crate> { ($0.flag ? $0.load : $0.limit) > 1 }),
            Row(
                "ConditionalCast", #"$0.level as? Int == nil"#,
                Self.conditionalCast()),
            Row("Conjunction", #"$0.flag && $0.id > 3"#, #Predicate<Crate> { $0.flag && $0.id > 3 }),
            Row(
                "DictionaryKeyDefaultValueSubscript", #"$0.sizes["a", default: 0] == 1"#,
                #Predicate<Crate> { $0.sizes["a", default: 0] == 1 }),
            Row("DictionaryKeySubscript", #"$0.sizes["a"] == 1"#, #Predicate<Crate> { $0.sizes["a"] == 1 }),
            Row("Disjunction", #"$0.flag || $0.name == "a""#, #Predicate<Crate> { $0.flag || $0.name == "a" }),
            Row("Equal", #"$0.mode == eco"#, #Predicate<Crate> { $0.mode == eco }),
            Row(
                "Filter", #"$0.tags.filter { $0 > "a" }.isEmpty"#,
                #Predicate<Crate> { $0.tags.filter { $0 > "a" }.isEmpty }),
            Row("FloatDivision", #"$0.load / 2 <= 1"#, #Predicate<Crate> { $0.load / 2 <= 1 }),
            Row(
                "ForceCast", #"$0.name as! String == "a""#,
                Self.forceCast()),
            Row(
                "ForcedUnwrap", #"$0.level != nil && $0.level! > 2"#,
                #Predicate<Crate> { $0.level != nil && $0.level! > 2 }),
            Row("IntDivision", #"$0.id / 2 == 2"#, #Predicate<Crate> { $0.id / 2 == 2 }),
            Row("IntRemainder", #"$0.id % 3 == 1"#, #Predicate<Crate> { $0.id % 3 == 1 }),
            Row(
                "KeyPath", #"$0.name == loose.text"#,
                #Predicate<Crate> { $0.name == loose.text }),
            Row("Negation", #"!$0.flag"#, #Predicate<Crate> { !$0.flag }),
            Row(
                "NilCoalesce", #"($0.note ?? $0.place.label ?? "") == "x""#,
                #Predicate<Crate> { ($0.note ?? $0.place.label ?? "") == "x" }),
            Row("NilLiteral", #"$0.note == nil"#, #Predicate<Crate> { $0.note == nil }),
            Row("NotEqual", #"$0.note != "x""#, #Predicate<Crate> { $0.note != "x" }),
            Row(
                "OptionalFlatMap", #"$0.note?.contains("x") == true"#,
                #Predicate<Crate> { $0.note?.contains("x") == true }),
            Row(
                "Range", #"(0.0..<$0.limit).contains($0.load)"#,
                #Predicate<Crate> { (0.0..<$0.limit).contains($0.load) }),
            Row(
                "RangeExpressionContains", #"(0...3).contains($0.level ?? 1)"#,
                #Predicate<Crate> { (0...3).contains($0.level ?? 1) }),
            Row(
                "SequenceAllSatisfy", #"$0.tags.allSatisfy { $0 == "a" }"#,
                #Predicate<Crate> { $0.tags.allSatisfy { $0 == "a" } }),
            Row(
                "SequenceContains", #"names.contains($0.note ?? "a")"#,
                #Predicate<Crate> { names.contains($0.note ?? "a") }),
            Row(
                "SequenceContainsWhere", #"names.contains(where: { crate.name.starts(with: $0) })"#,
                #Predicate<Crate> { crate in names.contains(where: { crate.name.starts(with: $0) }) }),
            Row("SequenceMaximum", #"($0.marks.max() ?? 0) > 1"#, #Predicate<Crate> { ($0.marks.max() ?? 0) > 1 }),
            Row("SequenceMinimum", #"$0.marks.min() == 1"#, #Predicate<Crate> { $0.marks.min() == 1 }),
            Row(
                "SequenceStartsWith", #"($0.note ?? "x").starts(with: "x")"#,
                #Predicate<Crate> { ($0.note ?? "x").starts(with: "x") }),
            Row("StringContainsRegex", #"$0.name.contains(digits)"#, #Predicate<Crate> { $0.name.contains(digits) }),
            Row(
                "TypeCheck", #"$0.name is String"#,
                Self.typeCheck()),
            Row("UnaryMinus", #"-$0.load < 1"#, #Predicate<Crate> { -$0.load < 1 }),
            Row("Value", #"$0.id == 7"#, #Predicate<Crate> { $0.id == 7 }),
            Row(
                "Variable", #"$0.tags.contains(where: { $0 == "x" })"#,
                #Predicate<Crate> { $0.tags.contains(where: { $0 == "x" }) }),
        ]
    }()

    // Predicates that no macro produces, each in its own function. In a function that also contains expansions of the macro,
    // Swift 6.3.1 confuses the closures.

    private static func conditionalCast() -> Predicate<Crate> {
        Predicate<Crate> {
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.ConditionalCast<_, Int>(
                    PredicateExpressions.build_KeyPath(
                        root: PredicateExpressions.build_Arg($0), keyPath: \.level)),
                rhs: PredicateExpressions.build_NilLiteral())
        }
    }

    private static func forceCast() -> Predicate<Crate> {
        Predicate<Crate> {
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.ForceCast<_, String>(
                    PredicateExpressions.build_KeyPath(
                        root: PredicateExpressions.build_Arg($0), keyPath: \.name)),
                rhs: PredicateExpressions.build_Arg("a"))
        }
    }

    private static func typeCheck() -> Predicate<Crate> {
        Predicate<Crate> {
            PredicateExpressions.TypeCheck<_, String>(
                PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg($0), keyPath: \.name))
        }
    }

    /// Returns the rows of the article: the operator, the predicate and the claim.
    private static func articleRows() throws -> [[String]] {
        let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/ModelStore/ModelStore.docc/Fetching.md")
        let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
        return lines.drop { !$0.hasPrefix("| operator of Foundation |") }.dropFirst(2).prefix { $0.hasPrefix("|") }.map
        {
            $0.replacing("\\|", with: "\u{0}").split(separator: "|").map {
                $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
            }
        }
    }

    @Test func `the article has a row for each operator of Foundation`() throws {
        let listed = try Self.articleRows().map { $0[0] }
        let operators = try Set(PredicateOperators.all().map { "`\($0)`" })
        #expect(operators.symmetricDifference(listed) == [])
        let names = listed.map { $0.trimmingPrefix("`").dropLast() }.map(String.init)
        #expect(names == names.sorted())
    }

    @Test func `each row of the article says what becomes of its predicate`() throws {
        let expected = Self.rows.map { ["`\($0.name)`", "`\($0.source)`", $0.claim] }
        let lines = expected.map { "| " + $0.joined(separator: " | ").replacing("||", with: "\\|\\|") + " |" }
        #expect(try Self.articleRows() == expected, "\(lines.joined(separator: "\n"))")
        for row in Self.rows {
            let type = String(reflecting: Swift.type(of: row.predicate.expression))
            #expect(type.contains("PredicateExpressions.\(row.name)<"), "\(row.name) is not in \(row.source)")
        }
    }

    @Test func `what a row says is refused is refused by name, with a remedy`() throws {
        for row in Self.rows where row.claim == "refused" {
            let failure = #expect(throws: StoreError.self) { try FetchRequest(row.predicate) }
            #expect(failure?.code == .invalidValue && failure?.remedy != nil)
            #expect(failure?.description.contains(" \(row.name): ") == true, "\(String(describing: failure))")
        }
    }

    @Test(arguments: 0..<8) func `what a row says is translated finds what evaluating it finds`(run: Int) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var maker = CrateMaker(seed: seed)
        let crates = (1...60).map { maker.crate($0) }
        let store = try Store.temporary(records: Crate.self)
        try store.write { tx in for crate in crates { try tx.insert(crate) } }
        for row in Self.rows where row.claim != "refused" {
            // A record for which evaluation throws does not match.
            let expected = crates.filter { (try? row.predicate.evaluate($0)) == true }.map(\.id)
            let request = try FetchRequest(row.predicate).order { $0.id.ascending }
            let found = try store.read { try $0.fetch(request).map(\.id) }
            #expect(found == expected, "seed \(seed), \(row.source)")
        }
    }
}
