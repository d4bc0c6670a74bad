import Hummingbird
import HummingbirdCore
import ModelStore

/// Which readings a client wants to see, from the query of its address: `room=kitchen&above=20`, both optional.
struct ReadingQuery {
    let room: Room.ID?
    let above: Double?

    /// - Throws: `HTTPError` for a query that cannot be understood.
    init(_ uri: URI) throws {
        let parameters = uri.queryParameters
        room = parameters["room"].map(String.init)
        above = try parameters["above"].map { text in
            guard let above = Double(text), above.isFinite else {
                throw HTTPError(.badRequest, message: "above is '\(text)', and takes a number of degrees")
            }
            return above
        }
    }

    /// The request that asks for them.
    var request: FetchRequest<Reading> {
        var request = Reading.order { $0.sensor.ascending }
        if let room { request = request.where { $0.room == room } }
        if let above { request = request.where { $0.celsius > above } }
        return request
    }
}
