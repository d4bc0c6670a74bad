/// The names by which browsers reach the service.
///
/// A page of another site can point its own name at this machine's address, and would then count as a page of the service. So the
/// service answers only requests that name it.
struct OwnHosts: Sendable {
    private static let ofThisMachine: Set = ["localhost", "127.0.0.1", "[::1]"]

    private let names: Set<String>

    /// - Parameters:
    ///   - address: the address that the service listens on.
    ///   - others: further names, without ports.
    init(listeningOn address: String, others: [String] = []) {
        let own = address.contains(":") ? "[\(address)]" : address
        names = Self.ofThisMachine.union(([own] + others).map { $0.lowercased() })
    }

    /// Returns whether the authority of a request, a name with an optional port, names the service.
    func contain(_ authority: String) -> Bool {
        let end = authority.lastIndex(of: ":").flatMap { colon in
            authority[colon...].dropFirst().allSatisfy(\.isNumber) ? colon : nil
        }
        return names.contains(authority[..<(end ?? authority.endIndex)].lowercased())
    }
}
