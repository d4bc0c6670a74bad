import Hummingbird
import HummingbirdCore
import ModelStore

/// The selection of readings from the query of a client's address: `room=kitchen&above=20`, both optional.
struct ReadingQuery {
    let room: Room.ID?
    let above: Double?

    /// - Throws: `HTTPError` for a query that is not valid.
    init(_ uri: URI) throws {
        let parameters = uri.queryParameters
        room = parameters["room"].map(String.init)
        above = try parameters["above"].map { text in
            guard let above = Double(text), above.isFinite else {
                throw HTTPError(.badRequest, message: "above is '\(text)', but must be a number of degrees")
            }
            return above
        }
    }

    /// The fetch request for this selection.
    var request: FetchRequest<Reading> {
        var request = Reading.order { $0.sensor.ascending }
        if let room { request = request.where { $0.room == room } }
        if let above { request = request.where { $0.celsius > above } }
        return request
    }
}
