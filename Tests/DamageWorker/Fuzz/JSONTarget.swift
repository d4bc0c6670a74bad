import StoreCommands
import StoreEngine
import TestSupport

/// Lines of JSON, as `import --format jsonl` reads them.
struct JSONTarget: FuzzTarget {
    let inputs = Mutator(
        texts: ThingType.lines,
        words: [
            "null", "true", "false", "-0", "1e999", "1E-999", "\"inf\"", "\"nan\"", "\"\\u0000\"", "\\ud83d", "\\ude00",
            "\"id\": ", "\"tags\": [", "\"marks\": [", "\"limits\": {", "\"address\": {", "\"doc\": ", "\"wait\": ",
            "\"PT1H\"", "\"P1D\"", "\"2026-02-30T00:00:00Z\"", "\"-0001-01-01T00:00:00Z\"", "\"====\"", "\"http://\"",
            "[", "]", "{", "}", ",", ":", "\"", "\u{FEFF}", "\u{0}",
        ])
    private let record: EncodedRecord

    init() throws { record = EncodedRecord(try ThingType.type()) }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) throws -> Bool {
        guard let bytes = try record.encoded(json: input) else { return false }
        let text = JSONWriter.text(of: try record.decoded(bytes).json(record.type))
        guard try record.encoded(json: Array(text.utf8)) == bytes else {
            throw Mismatch("the record reads back differently: \(text)")
        }
        return true
    }
}
