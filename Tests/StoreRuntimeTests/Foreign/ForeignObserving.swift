import StoreEngine
import TestSupport

@testable import StoreRuntime

/// The subjects that observe sensors and slots in a history. They change with each round and use random requests.
struct ForeignObserving {
    private var sensorQueries: [LiveQuery<Sensor>] = []
    private var sensorModels: [ModelSubject<Sensor, Double>] = []

    /// Adds a random subject, and sometimes removes one.
    mutating func change(_ history: inout ForeignHistory, _ writer: inout LiveWriter) throws {
        if history.random.oneIn(5), !history.subjects.isEmpty {
            history.subjects.remove(at: history.random.below(history.subjects.count))
        }
        for _ in 0..<history.random.pick([0, 1, 2, 4]) { try add(&history, &writer) }
    }

    private mutating func add(_ history: inout ForeignHistory, _ writer: inout LiveWriter) throws {
        let store = history.store
        switch history.random.below(10) {
        case 0, 1, 2:
            let fields = fields(6, &writer)
            let subject = try QuerySubject(sensors(&writer, store), fields: fields, in: store)
            if fields == nil { sensorQueries.append(subject.query) }
            history.subjects.append(subject)
        case 3:
            history.subjects.append(try QuerySubject(slots(&writer, store), fields: fields(4, &writer), in: store))
        case 4:
            history.subjects.append(
                try CountSubject(sensors(&writer, store), in: store) { view, request in
                    try view.fetch(request.fields { $0.room }.distinct())
                })
        case 5:
            history.subjects.append(
                try CountSubject(slots(&writer, store), in: store) { view, request in
                    ["\(try view.fetch(request).map(\.hour))"]
                })
        case 6:
            history.subjects.append(
                try JoinSubject(
                    sensors(&writer, store), slots(&writer, store), sensors(&writer, store), in: store))
        case 7 where !sensorQueries.isEmpty:
            history.subjects.append(
                try EffectSubject(sensorQueries.suffix(2), sensorModels.suffix(3).map(\.model), in: store))
            history.hasEffects = true
        default: try addModels(&history)
        }
    }

    private mutating func addModels(_ history: inout ForeignHistory) throws {
        let store = history.store
        let (sensors, slots) = try store.view { view in (try view.all(Sensor.self), try view.all(Slot.self)) }
        for _ in 0..<3 where !sensors.isEmpty {
            let model = try store.model(Sensor.self, id: history.random.pick(sensors).id)
            let subject = ModelSubject(model, \.celsius, in: store)
            sensorModels.append(subject)
            history.subjects.append(subject)
        }
        if !slots.isEmpty {
            let model = try store.model(Slot.self, id: history.random.pick(slots).recordID)
            let subject = ModelSubject(model, \.guest, in: store)
            history.subjects.append(subject)
        }
    }

    private func sensors(_ writer: inout LiveWriter, _ store: Store) -> FetchRequest<Sensor> {
        request(&writer, store.recordTypes[0])
    }

    private func slots(_ writer: inout LiveWriter, _ store: Store) -> FetchRequest<Slot> {
        request(&writer, store.recordTypes[1])
    }

    private func request<R: Record>(_ writer: inout LiveWriter, _ type: RecordType) -> FetchRequest<R> {
        var request = writer.generator.request(type)
        (request.isDistinct, request.fields) = (false, nil)
        if request.limit == 1_000 { request.limit = nil }
        var result = FetchRequest(R.self)
        result.request = request
        return result
    }

    private func fields(_ count: Int, _ writer: inout LiveWriter) -> FieldIndexSet? {
        writer.generator.chance(70) ? nil : FieldIndexSet((0..<count).filter { _ in writer.generator.chance(40) })
    }
}
