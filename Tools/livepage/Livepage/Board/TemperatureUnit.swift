import Foundation
import ModelStoreComponents

/// The unit in which a tab shows temperatures.
enum TemperatureUnit: String, Sendable {
    case celsius = "°C"
    case fahrenheit = "°F"

    /// Returns a temperature in this unit as text.
    func text(_ celsius: Double) -> String {
        String(format: "%.1f ", self == .celsius ? celsius : celsius * 1.8 + 32) + rawValue
    }

    /// Changes to the other unit.
    mutating func toggle() { self = other }

    /// The other unit.
    var other: TemperatureUnit { self == .celsius ? .fahrenheit : .celsius }
}

enum TemperatureUnitKey: EnvironmentKey {
    static let defaultValue = TemperatureUnit.celsius
}

extension EnvironmentValues {
    /// The unit of the temperatures in a part of the page.
    var temperatureUnit: TemperatureUnit {
        get { self[TemperatureUnitKey.self] }
        set { self[TemperatureUnitKey.self] = newValue }
    }
}
