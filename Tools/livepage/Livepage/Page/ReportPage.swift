import ModelStore

/// The ownership registry's report as a page that reloads itself.
struct ReportPage {
    private let report: OwnershipReport

    init(_ report: OwnershipReport) { self.report = report }

    /// Escaped, because the names of scopes contain text from clients.
    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta http-equiv="refresh" content="1">
        <title>Live objects and their owners</title>
        <style>body { font-family: system-ui; margin: 2rem } pre { white-space: pre-wrap }</style>
        <h1>Live objects and their owners</h1>
        <p><a href="/">the page</a>, <a href="/report.json">this report as JSON</a></p>
        <pre>\(HTML.escaped("\(report)"))</pre>
        </html>

        """
    }
}
