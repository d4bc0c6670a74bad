import ModelStore
import StoreEngine
import StoreRuntime

extension Store {
    /// What is wrong with this store, after a look at everything.
    func findings() throws -> [String] {
        var findings: [String] = []
        _ = try verify { findings.append("\($0)") }
        return findings
    }
}
