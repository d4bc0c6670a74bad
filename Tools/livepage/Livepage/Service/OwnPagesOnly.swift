import HTTPTypes
import Hummingbird

/// Refuses changes that a page of another site makes through a browser.
struct OwnPagesOnly: RouterMiddleware {
    typealias Context = PageContext

    private static let site = HTTPField.Name("Sec-Fetch-Site")!

    func handle(
        _ request: Request, context: PageContext,
        next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        // Browsers name the source of a request. Other programs do not, and need not.
        let site = request.headers[Self.site] ?? "none"
        guard request.method == .get || site == "none" || site == "same-origin" else {
            throw HTTPError(.forbidden, message: "the service accepts changes only from its own pages")
        }
        return try await next(request, context)
    }
}
