import HTTPTypes
import Hummingbird

/// Answers only requests that name this service, and refuses changes that a page of another site makes through a browser.
struct OwnPagesOnly: RouterMiddleware {
    typealias Context = PageContext

    private static let site = HTTPField.Name("Sec-Fetch-Site")!

    let hosts: OwnHosts

    func handle(
        _ request: Request, context: PageContext,
        next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        let host = request.head.authority ?? ""
        guard hosts.contain(host) else {
            throw HTTPError(
                .misdirectedRequest, message: "the service is not \(host); start it with --allowed-host to add a name")
        }
        guard request.method == .get || Self.isFromOwnPage(request.headers, host) else {
            throw HTTPError(.forbidden, message: "the service accepts changes only from its own pages")
        }
        return try await next(request, context)
    }

    /// Returns whether no page, or a page of this service, makes a request.
    private static func isFromOwnPage(_ headers: HTTPFields, _ host: String) -> Bool {
        // Browsers name the source of a request. Other programs do not, and need not.
        if let site = headers[Self.site] { return site == "none" || site == "same-origin" }
        // Browsers leave the header out where the connection is not secure, and name the origin then.
        guard let origin = headers[.origin] else { return true }
        return ["http://", "https://"].contains { origin.lowercased() == $0 + host.lowercased() }
    }
}
