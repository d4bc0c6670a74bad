import Hummingbird

/// The routes of the forms: `POST /readings` with `sensor` and `celsius`, `POST /rooms` with `room` and `name`.
///
/// The answer has no content, so that a browser stays on the page. The page receives the changes through its events.
struct ChangeRoutes: Sendable {
    let house: House

    private struct ReadingForm: Decodable {
        let sensor: String
        let celsius: Double
    }

    private struct RoomForm: Decodable {
        let room: String
        let name: String
    }

    func add(to router: Router<PageContext>) {
        router.post("readings") { request, context in
            let form = try await URLEncodedFormDecoder().decode(ReadingForm.self, from: request, context: context)
            guard form.celsius.isFinite else {
                throw HTTPError(.badRequest, message: "celsius must be a number of degrees")
            }
            try await house.set(form.sensor, celsius: form.celsius)
            return Response(status: .noContent)
        }
        router.post("rooms") { request, context in
            let form = try await URLEncodedFormDecoder().decode(RoomForm.self, from: request, context: context)
            try await house.rename(form.room, to: form.name)
            return Response(status: .noContent)
        }
    }
}
