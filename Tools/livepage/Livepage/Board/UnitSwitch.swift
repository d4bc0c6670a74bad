import ModelStore
import ModelStoreComponents

/// A button that changes the unit. The unit belongs to the component that passes the binding.
@Component
struct UnitSwitch {
    static let id = "unit"

    @Binding var unit: TemperatureUnit

    func update(_ context: inout ComponentContext) {
        let unit = $unit
        context.render(
            Self.id, .form(of: Self.id, .button("toggle", "Show \(unit.wrappedValue.other.rawValue)")),
            actions: ["toggle": { _ in unit.update { $0.toggle() } }])
    }
}
