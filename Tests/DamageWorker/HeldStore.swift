import ModelStore
import StoreRuntime

/// A process that holds a store open while another process changes its small files.
struct HeldStore {
    let path: String

    /// Uses the store for each line of the input, until its end.
    func serve() async {
        let report = WorkerReport(keepsInput: true)
        do {
            let tried = TriedStore(at: path)
            let store = try tried.open()
            _ = try store.get(Item.self, id: 1)
            report.line("held")
            var id = 200
            while readLine() != nil {
                do {
                    try await tried.use(store, id: id)
                    report.line("used")
                } catch let error as StoreError {
                    report.line("error \("\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))")
                }
                id += 1
            }
        } catch {
            report.line("wrong: \(error)")
        }
    }
}
