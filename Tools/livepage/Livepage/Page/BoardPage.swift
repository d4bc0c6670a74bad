/// The current page of a session. The script keeps it up to date from there.
struct BoardPage {
    private let session: Session

    init(_ session: Session) { self.session = session }

    var html: String {
        let screen = session.screen
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <base href="/board/\(session.id)/">
            <title>\(HTML.escaped(screen.title))</title>
            <link rel="stylesheet" href="/live.css">
            <body data-version="\(screen.version)">
            \(screen.html)
            <p id="message" role="alert"></p>
            <p><a href="/">the plain page</a>, <a href="/report">live objects of both pages</a></p>
            <script src="/live.js"></script>
            </html>

            """
    }
}
