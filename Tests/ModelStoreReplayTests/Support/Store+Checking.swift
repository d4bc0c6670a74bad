import ModelStore
import StoreEngine
import StoreRuntime

extension Store {
    /// Returns the findings of a complete check of this store.
    func findings() throws -> [String] {
        var findings: [String] = []
        _ = try verify { findings.append("\($0)") }
        return findings
    }
}
