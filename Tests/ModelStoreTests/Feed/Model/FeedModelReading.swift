import ModelStore
import StoreEngine

/// The options with which a reader reads a history's feed.
struct FeedModelReading {
    /// The changes that the reader wants.
    enum Wanted: CaseIterable {
        case all
        /// All changes of sensors.
        case sensors
        /// Changes of sensors that are warm before or after the change.
        case warm
        /// Changes of sensors that affect the temperature.
        case celsius
    }

    /// The version of the reading program.
    var version: SensorVersion
    var wanted = Wanted.all
    var mergesPending = false
    var reportsProgress = false
    /// The name of the program whose change sets the reader skips.
    var skippedOrigin: String?
    var changesPerPart = 10_000

    /// The same options for the feed.
    var options: FeedOptions {
        var options = FeedOptions()
        options.filters = version.filter(wanted).map { [$0] } ?? []
        options.mergesPending = mergesPending
        options.reportsProgress = reportsProgress
        options.skipsOwnOrigin = skippedOrigin != nil
        options.changesPerPart = changesPerPart
        return options
    }

    /// Returns the changes of a change set that the reader receives, in its version; nil if it does not receive the change set.
    func expected(_ noted: FeedModelRun.Noted) -> [PlainChange]? {
        // A reset does not count as a program's own write, and every reader receives it.
        if case .reset = noted.entry { return [] }
        if noted.origin == skippedOrigin { return nil }
        switch noted.entry {
        case .reset, .schema: return []
        case .tally: return wanted == .all ? [] : nil
        case .changes(let changes, _):
            let wanted = changes.filter(isWanted)
            return wanted.isEmpty ? nil : wanted.map { $0.known(to: version) }
        }
    }

    private func isWanted(_ change: PlainChange) -> Bool {
        switch wanted {
        case .all, .sensors: true
        case .warm: [change.before, change.after].contains { $0.map { $0.celsius > 1 } ?? false }
        case .celsius: change.before?.celsius != change.after?.celsius
        }
    }
}

extension SensorVersion {
    /// Returns the filter for the wanted sensors in this version; nil for all changes of all types.
    func filter(_ wanted: FeedModelReading.Wanted) -> FeedFilter? {
        switch (wanted, self) {
        case (.all, _): nil
        case (.sensors, .first): FeedFilter(Sensor.self)
        case (.sensors, .wider): FeedFilter(WiderSensor.self)
        case (.sensors, .widest): FeedFilter(WidestSensor.self)
        case (.warm, .first): FeedFilter(Sensor.self, where: { $0.celsius > 1 })
        case (.warm, .wider): FeedFilter(WiderSensor.self, where: { $0.celsius > 1 })
        case (.warm, .widest): FeedFilter(WidestSensor.self, where: { $0.celsius > 1 })
        case (.celsius, .first): FeedFilter(Sensor.self, touching: \.celsius)
        case (.celsius, .wider): FeedFilter(WiderSensor.self, touching: \.celsius)
        case (.celsius, .widest): FeedFilter(WidestSensor.self, touching: \.celsius)
        }
    }
}
