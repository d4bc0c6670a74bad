extension RecordedAction {
    /// This action as output shows it: its name, itself, and what it returned.
    ///
    /// - Throws: ``StoreError`` with the code `damaged` when it is no JSON.
    package func json() throws(StoreError) -> JSONValue {
        do {
            return .object([
                JSONMember("name", .string(name)), JSONMember("payload", try JSONReader.read(payload)),
                JSONMember(
                    "result", try result.map { (bytes) throws(JSONError) in try JSONReader.read(bytes) } ?? .null),
            ])
        } catch {
            throw StoreError(
                .damaged, "the recorded action \(name) is no JSON: \(error)", remedy: "run `store-cli verify`")
        }
    }
}
