import ModelStore
import ModelStoreComponents

/// A reading that the user can edit. Whether this tab edits it is the row's own state.
@Component
struct ReadingRow {
    @ObservedObject var reading: Model<Reading>
    @EnvironmentObject var alarm: Alarm
    @Environment(\.temperatureUnit) var unit
    @State var isEditing = false

    /// Returns the id of the row in the page.
    static func id(of reading: Model<Reading>) -> String { "reading-\(reading.id)" }

    func update(_ context: inout ComponentContext) {
        let (reading, alarm, isEditing) = (reading, alarm, $isEditing)
        let isRaised = !alarm.isMuted && reading.celsius > alarm.limit
        context.render(
            Self.id(of: reading),
            .element(
                "tr", isRaised ? ["class": "alarm"] : [:],
                .element("td", [:], "\(reading.id)"), .element("td", [:], "\(reading.room)"),
                .element("td", [:], "\(unit.text(reading.celsius))"), .element("td", [:], form)),
            actions: [
                "edit": { _ in isEditing.wrappedValue = true },
                "cancel": { _ in isEditing.wrappedValue = false },
                "save": { fields in
                    guard let celsius = fields["celsius"].flatMap({ Double($0) }), celsius.isFinite else {
                        throw StoreError(
                            .invalidValue, "celsius is not a number of degrees", remedy: "type a number such as 21.5")
                    }
                    try await reading.update { $0.celsius = celsius }
                    isEditing.wrappedValue = false
                },
            ])
    }

    private var form: HTML {
        let id = Self.id(of: reading)
        if !isEditing { return .form(of: id, .button("edit", "Edit")) }
        return .form(
            of: id, .element("input", ["name": "celsius", "value": "\(reading.celsius)"]), " °C ",
            .button("save", "Save"), .button("cancel", "Cancel"))
    }
}
