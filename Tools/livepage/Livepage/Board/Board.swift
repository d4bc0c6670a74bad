import ModelStore
import ModelStoreComponents

/// The outermost component of a tab. It owns the tab's state, hands that state down, and displays the preferences that flow up.
@Component
struct Board {
    /// The state that all tabs share. The service owns it. The rows read it as an environment object.
    let alarm: Alarm
    let display: Display
    @StateObject var filter = Filter()
    @State var unit = TemperatureUnit.celsius

    func update(_ context: inout ComponentContext) {
        let (alarm, display, filter, unit) = (alarm, display, filter, unit)
        context.onPreferenceChange(FragmentKey.self) { display.show($0) }
        context.onPreferenceChange(TitleKey.self) { display.show(title: $0) }

        context.place(FilterForm()) { $0.provide(filter) }
        context.place(UnitSwitch(unit: $unit))
        context.place(AlarmForm(alarm))
        context.place(ReadingTable(filter: filter.text)) {
            $0.provide(alarm)
            $0[\.temperatureUnit] = unit
        }
        context.render(
            Screen.root,
            .element(
                "main", [:], .element("h1", [:], "Readings"), .fragment(FilterForm.id), .fragment(UnitSwitch.id),
                .fragment(AlarmForm.id), .fragment(ReadingTable.id)))
    }
}
