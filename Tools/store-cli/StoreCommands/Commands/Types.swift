import ArgumentParser
import LMDB
import StoreEngine
import StoreRuntime

/// `types`: lists the record types of a store.
struct Types: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the record types: rows, fields, indexes, bytes, and the store's format.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let columns = [
            OutputColumn("type"), OutputColumn("rows", isNumeric: true), OutputColumn("fields", isNumeric: true),
            OutputColumn("indexes", isNumeric: true), OutputColumn("bytes", isNumeric: true),
            OutputColumn("format", isNumeric: true),
        ]
        try options.read { store in
            let rows = try store.read { transaction in
                let reading = transaction._reading
                let format = try StoreFormat.version(reading.state.databases, reading.snapshot)
                return try reading.catalog.types.map { type in
                    let records = try reading.snapshot.statistics(of: type.database)
                    var bytes = records.byteCount
                    for index in type.indexes { bytes += try reading.snapshot.statistics(of: index.database).byteCount }
                    return [
                        OutputCell(type.name), OutputCell(records.entries), OutputCell(type.type.fields.count),
                        OutputCell(type.indexes.count), OutputCell(bytes), OutputCell(Int(format)),
                    ]
                }
            }
            try options.printing { output in
                var printer = try RowPrinter(options.format, columns: columns, to: output)
                for row in rows { try printer.append(row) }
                try printer.finish()
            }
        }
    }
}

extension LMDBStatistics {
    /// The size of the database's pages in bytes.
    var byteCount: Int { (branchPages + leafPages + overflowPages) * pageSize }
}
