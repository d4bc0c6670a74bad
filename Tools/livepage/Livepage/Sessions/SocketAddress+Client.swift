import Glibc
import NIOCore

extension SocketAddress {
    /// Names the client behind this address: an IPv4 address, or the network of 64 bits in which one client can have all IPv6
    /// addresses.
    var client: String {
        let text = ipAddress ?? ""
        guard case .v6(let address) = self else { return text }
        var network: [UInt8] = []
        unsafe withUnsafeBytes(of: address.address.sin6_addr) { unsafe network.append(contentsOf: $0.prefix(8)) }
        // IPv4 addresses in IPv6 form, and that of this machine, have no network.
        guard network.contains(where: { $0 != 0 }) else { return text }
        return network.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
