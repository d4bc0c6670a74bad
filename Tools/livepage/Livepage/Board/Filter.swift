import ModelStoreComponents

/// The readings that one tab wants to see.
final class Filter: ObservableObject, Sendable {
    /// A part of the sensors' names; empty for all sensors.
    @Published var text = ""
}
