import ModelStoreEvents
import NIOCore

// The parts of Hummingbird that the article uses, with the same names and types.

struct HTTPFields: ExpressibleByDictionaryLiteral {
    struct Name {
        static let contentType: Name = assumed()
        static let cacheControl: Name = assumed()

        init?(_ name: String) {}
    }

    init(dictionaryLiteral elements: (Name, String)...) {}

    subscript(name: Name) -> String? { nil }
}

struct Request {
    let headers: HTTPFields
}

struct ResponseBody {
    init<S: AsyncSequence & Sendable>(asyncSequence: S) where S.Element == ByteBuffer {}
}

struct Response {
    enum Status {
        case ok
    }

    let status: Status
    let headers: HTTPFields
    let body: ResponseBody
}

struct Router {
    struct Context {}

    func get(_ path: String, use handler: @escaping @Sendable (Request, Context) async throws -> Response) {}
}

@Record
struct Sensor {
    @ID var id: String
    var celsius: Double
}

func assumed<T>() -> T { fatalError() }
let store: Store = assumed()
let router = Router()
