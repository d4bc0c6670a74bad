import ModelStore
import ModelStoreComponents

/// The readings that match a filter, each in a row of its own.
///
/// It reads the results as models, so it updates when rows are inserted, deleted or moved. A change within a row updates that row
/// only.
@Component
struct ReadingTable {
    static let id = "readings"

    @FetchRequest var readings: LiveRecords<Reading>

    init(filter: String) {
        var request = Reading.order { $0.sensor.ascending }
        if !filter.isEmpty { request = request.where { $0.sensor.contains(filter) } }
        _readings = FetchRequest(request)
    }

    func update(_ context: inout ComponentContext) {
        var rows: [HTML] = []
        for reading in $readings.models {
            context.place(ReadingRow(reading: reading), id: reading.id)
            rows.append(.fragment(ReadingRow.id(of: reading)))
        }
        context.preference(TitleKey.self, rows.count == 1 ? "1 reading" : "\(rows.count) readings")
        context.render(
            Self.id, .element("table", [:], .node(name: "tbody", attributes: [:], content: rows)))
    }
}
