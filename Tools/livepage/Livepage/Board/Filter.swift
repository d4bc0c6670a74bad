import ModelStoreComponents

/// The selection of readings in one tab.
final class Filter: ObservableObject, Sendable {
    /// A part of the sensors' names; empty for all sensors.
    @Published var text = ""
}
