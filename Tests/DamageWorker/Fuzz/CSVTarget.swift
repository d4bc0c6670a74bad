import StoreCommands
import StoreEngine
import TestSupport

/// Files of comma-separated values, as `import --format csv` reads them.
struct CSVTarget: FuzzTarget {
    let inputs: Mutator
    private let record: EncodedRecord

    init() throws {
        record = EncodedRecord(try ThingType.type())
        var writer = CSVWriter()
        writer.append(record.type.fields.map(\.name))
        for line in ThingType.lines {
            guard let bytes = try record.encoded(json: Array(line.utf8)) else { throw Mismatch("no record: \(line)") }
            writer.append(try record.texts(bytes))
        }
        let short =
            "name,id,small,level,big,ratio,price,seen,key,wait,blob,doc,region,tags,marks,limits\r\n"
            + "\"a \"\"quoted\"\"\r\nname\",7,3,1,2,3.5,4,2026-01-02T03:04:05Z,00000000-0000-4000-8000-000000000000,PT1S,AAEC,"
            + "\"{\"\"a\"\":1}\",eu,\"[\"\"x\"\"]\",[1],{}\r\n"
        inputs = Mutator(
            corpus: [writer.bytes, Array(short.utf8)],
            words: [
                ",", "\"", "\"\"", "\r", "\n", "\r\n", "\n\n", "\u{FEFF}", "\u{0}", "id", "tags", "nan", "-inf", "null",
                "[]", "{}", "\"[1,\"\"x\"\"]\"", ",,,,", "\u{301}",
            ])
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) throws -> Bool {
        var reader = CSVReader(bytes: input)
        guard let header = try? reader.next() else { return false }
        let encoder = try? RowEncoder(
            type: record.type, columns: header.fields.map(\.text), input: "input")
        var records = [header]
        // Each mistake ends a line, so reading ends.
        for _ in 0...input.count + 1 {
            do {
                guard let row = try reader.next() else { return try check(records, encoder) }
                records.append(row)
            } catch is CSVError {
                continue
            }
        }
        throw Mismatch("the reader does not reach the end")
    }

    /// Returns whether any of the records can be stored.
    private func check(_ records: [CSVRecord], _ encoder: RowEncoder?) throws -> Bool {
        var writer = CSVWriter()
        for record in records { writer.append(record.fields.map(\.value)) }
        var reader = CSVReader(bytes: writer.bytes)
        for record in records {
            guard let again = try reader.next(), again.fields.map(\.value) == record.fields.map(\.value) else {
                throw Mismatch("the record of line \(record.line) reads back differently")
            }
        }
        guard let encoder else { return false }
        var isAccepted = false
        for cells in records.dropFirst() {
            let row = ImportRow(line: cells.line, type: nil, content: .cells(cells.fields))
            guard let bytes = try record.encoded(row, encoder) else { continue }
            isAccepted = true
            let whole = try RowEncoder(type: record.type, columns: record.type.fields.map(\.name), input: "output")
            let texts = try record.texts(bytes).map { CSVField(text: $0 ?? "", isQuoted: $0 != nil) }
            let again = ImportRow(line: 1, type: nil, content: .cells(texts))
            guard try record.encoded(again, whole) == bytes else {
                throw Mismatch("the record of line \(cells.line) is stored differently: \(texts)")
            }
        }
        return isAccepted
    }
}
