import Hummingbird

/// The route of the page.
struct PageRoutes: Sendable {
    func add(to router: Router<PageContext>) {
        router.get("/") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-cache"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.index_html)))
        }
    }
}
