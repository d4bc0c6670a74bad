import Hummingbird
import NIOCore

/// What a request's handler knows besides the request: the connection that it came by.
struct PageContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
