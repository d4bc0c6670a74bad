extension RecordedAction {
    /// Returns the action in the form that commands print: its name, its payload, and its result.
    ///
    /// - Throws: ``StoreError`` with the code `damaged` when the payload or the result is not JSON.
    package func json() throws(StoreError) -> JSONValue {
        do {
            return .object([
                JSONMember("name", .string(name)), JSONMember("payload", try JSONReader.read(payload)),
                JSONMember(
                    "result", try result.map { (bytes) throws(JSONError) in try JSONReader.read(bytes) } ?? .null),
            ])
        } catch {
            throw StoreError(
                .damaged, "the recorded action \(name) is not JSON: \(error)", remedy: "run `store-cli verify`")
        }
    }
}
