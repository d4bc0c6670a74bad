import ModelStoreComponents

/// The limit above which a reading is an alarm: one state for all tabs. Only actions change it.
struct AlarmState: Sendable {
    /// The highest temperature that is no alarm, in degrees Celsius.
    var limit = 25.0
    var isMuted = false

    mutating func apply(_ action: AlarmAction) {
        switch action {
        case .setLimit(let limit): self.limit = limit
        case .toggleMute: isMuted.toggle()
        }
    }
}

enum AlarmAction: Sendable {
    case setLimit(Double)
    case toggleMute
}

typealias Alarm = StateStore<AlarmState, AlarmAction>
