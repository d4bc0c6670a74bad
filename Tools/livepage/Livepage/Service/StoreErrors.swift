import Hummingbird
import ModelStore

/// Reports the store's errors to clients, each with a suitable status.
struct StoreErrors: RouterMiddleware {
    typealias Context = PageContext

    func handle(
        _ request: Request, context: PageContext,
        next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as StoreError {
            throw HTTPError(Self.status(error), message: error.message)
        }
    }

    private static func status(_ error: StoreError) -> HTTPResponse.Status {
        switch error.code {
        case .recordNotFound: .notFound
        case .invalidValue, .tooLarge: .badRequest
        case .closed, .scopeClosed, .queueFull: .serviceUnavailable
        default: .internalServerError
        }
    }
}
