import Foundation
import StoreEngine
import TestSupport
import Testing

@Suite struct KeyOrderTests {
    /// One check for each type, as a value that a test can take as its argument.
    struct Check: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (inout TestRandom) throws -> Void

        init<V: OrderedTestValue>(_ type: V.Type) {
            testDescription = "\(type)"
            run = { random in try KeyOrderTests.check(type, &random) }
        }
    }

    private static let checks: [Check] = [
        Check(Int8.self), Check(Int16.self), Check(Int32.self), Check(Int64.self), Check(Int.self), Check(UInt8.self),
        Check(UInt16.self), Check(UInt32.self), Check(UInt64.self), Check(UInt.self), Check(Bool.self),
        Check(Double.self), Check(Float.self), Check(String.self), Check(Data.self), Check(UUID.self), Check(Date.self),
        Check(URL.self), Check(Decimal.self), Check(Duration.self), Check(Shade.self), Check(String?.self),
        Check(Double?.self), Check(Int??.self), Check(Decimal?.self),
    ]

    @Test(arguments: checks)
    func `keys are in the order of their values, and no key begins another`(check: Check) throws {
        var random = TestRandom(seed: 11)
        try check.run(&random)
    }

    private static func check<V: OrderedTestValue>(_ type: V.Type, _ random: inout TestRandom) throws {
        for left in V.extremes { for right in V.extremes { try compare(left, right) } }
        var last = V.random(&random)
        for run in 0..<TestLength.runs(10_000, long: 200_000) {
            let next = V.random(&random)
            try compare(last, next)
            if run % 8 == 0 { try compareComposites(last, next, &random) }
            last = next
        }
    }

    private static func compare<V: OrderedTestValue>(_ left: V, _ right: V) throws {
        let leftKey = key(left)
        let rightKey = key(right)
        let isBefore = leftKey.lexicographicallyPrecedes(rightKey)
        let isAfter = rightKey.lexicographicallyPrecedes(leftKey)
        guard isBefore == left.precedes(right), isAfter == right.precedes(left) else {
            throw Mismatch("\(left) and \(right) are in another order than their keys \(leftKey) and \(rightKey)")
        }
        guard leftKey == rightKey || (!leftKey.starts(with: rightKey) && !rightKey.starts(with: leftKey)) else {
            throw Mismatch("the key of \(left) begins that of \(right) or the other way round")
        }
        guard let component = KeyComponent(V.fieldType) else { throw Mismatch("\(V.fieldType) has no keys") }
        var computed = ByteWriter()
        let bytes = try left.encoded()
        unsafe try component.append(bytes.span.bytes, to: &computed)
        guard computed.array() == leftKey else { throw Mismatch("the catalog gives \(left) another key") }
    }

    /// Composite keys compare part by part, whatever follows.
    private static func compareComposites<V: OrderedTestValue>(
        _ left: V, _ right: V, _ random: inout TestRandom
    ) throws {
        let leftRest = String.random(&random)
        let rightRest = String.random(&random)
        let leftKey = key(left) + key(leftRest)
        let rightKey = key(right) + key(rightRest)
        let isEqual = !left.precedes(right) && !right.precedes(left)
        let expected = isEqual ? leftRest.precedes(rightRest) : left.precedes(right)
        guard leftKey.lexicographicallyPrecedes(rightKey) == expected else {
            throw Mismatch("(\(left), \(leftRest)) and (\(right), \(rightRest)) are in another order than their keys")
        }
    }

    private static func key(_ value: some IndexableValue) -> [UInt8] {
        var writer = ByteWriter()
        value.encodeKey(to: &writer)
        return writer.array()
    }

    @Test func `an unordered type has no keys`() {
        for type in [FieldType.json, .array(.int8), .set(.string), .dictionary(.string, .bool), Inner.fieldType] {
            #expect(KeyComponent(type) == nil)
            #expect(KeyComponent(.optional(type)) == nil)
        }
    }
}
