import ModelStore
import ModelStoreComponents

/// A field for the alarm's limit. An input that is not a number stays in this tab, as a draft.
@Component
struct AlarmForm {
    static let id = "alarm"

    let alarm: Alarm
    @Draft var limit: String

    init(_ alarm: Alarm) {
        self.alarm = alarm
        _limit = Draft(alarm, \.limit) { limit in
            "\(limit)"
        } parse: { text in
            Double(text).flatMap { $0.isFinite ? $0 : nil }
        } toAction: { limit in
            .setLimit(limit)
        }
    }

    func update(_ context: inout ComponentContext) {
        let (alarm, limit) = (alarm, $limit)
        let input = HTML.element("input", ["name": "limit", "value": limit.wrappedValue])
        context.render(
            Self.id,
            .form(
                of: Self.id, "Alarm above ", _limit.isValid ? input : input.with("aria-invalid", "true"), " °C ",
                .button("set", "Set"), .button("mute", alarm.isMuted ? "Unmute" : "Mute")),
            actions: [
                "set": { fields in limit.wrappedValue = fields["limit"] ?? "" },
                "mute": { _ in alarm.send(.toggleMute) },
            ])
    }
}
