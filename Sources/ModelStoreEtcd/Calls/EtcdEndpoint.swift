#if Etcd
import ModelStoreReplication

/// The address of a member of an etcd cluster.
struct EtcdEndpoint: Sendable, Hashable {
    let host: String
    let port: Int
    let isSecure: Bool

    /// Reads an address such as `http://10.0.0.1:2379`.
    ///
    /// - Throws: ``SharedLogError`` with the code `refused`.
    init(_ text: String) throws(SharedLogError) {
        let parts = text.split(separator: "://", maxSplits: 1).map(String.init)
        guard parts.count == 2, ["http", "https"].contains(parts[0]) else { throw Self.mistake }
        let address = parts[1].hasSuffix("/") ? String(parts[1].dropLast()) : parts[1]
        let colon = address.lastIndex(of: ":") ?? address.endIndex
        let isAddressOnly = colon == address.endIndex || address[colon...].contains("]")
        guard let port = isAddressOnly ? 2379 : Int(address[colon...].dropFirst()), 1...65_535 ~= port else {
            throw Self.mistake
        }
        host = (isAddressOnly ? address : String(address[..<colon])).trimmingBrackets
        self.port = port
        isSecure = parts[0] == "https"
        guard !host.isEmpty, !host.contains("/"), !host.contains("@") else { throw Self.mistake }
    }

    /// Without the text, which may hold a password.
    private static let mistake = SharedLogError(
        .refused, "an endpoint of etcd has the form http://HOST:PORT or https://HOST:PORT")
}

extension String {
    /// An IPv6 address without its brackets.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
#endif
