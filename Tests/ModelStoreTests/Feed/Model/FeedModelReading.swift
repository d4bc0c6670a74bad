import ModelStore
import StoreEngine

/// In which way a history's feed is read.
struct FeedModelReading {
    /// Which changes are wanted.
    enum Wanted: CaseIterable {
        case all
        /// Those of sensors.
        case sensors
        /// Those of sensors that are warm before or after.
        case warm
        /// Those of sensors that touch how warm they are.
        case celsius
    }

    /// The version of the program that reads.
    var version: SensorVersion
    var wanted = Wanted.all
    var mergesPending = false
    var reportsProgress = false
    /// How the program is called whose change sets are left out.
    var skippedOrigin: String?
    var changesPerPart = 10_000

    /// How the feed is asked for it.
    var options: FeedOptions {
        var options = FeedOptions()
        options.filters = version.filter(wanted).map { [$0] } ?? []
        options.mergesPending = mergesPending
        options.reportsProgress = reportsProgress
        options.skipsOwnOrigin = skippedOrigin != nil
        options.changesPerPart = changesPerPart
        return options
    }

    /// What of a change set comes, as the version sees it; nil where nothing does.
    func expected(_ noted: FeedModelRun.Noted) -> [PlainChange]? {
        // A reset is nobody's own, and everybody's concern.
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
    /// Which changes of its sensors are wanted; nil for all that there are of anything.
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
