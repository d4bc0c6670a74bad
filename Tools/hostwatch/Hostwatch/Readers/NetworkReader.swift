/// Reads the network interfaces from `/sys/class/net`.
struct NetworkReader {
    /// The directory that contains a directory for each interface.
    var classPath = "/sys/class/net"

    /// Returns all interfaces of this process's network namespace. Leaves out an interface that disappears in the meantime.
    func read() throws(HostReadError) -> [NetworkInterface] {
        var interfaces: [NetworkInterface] = []
        for name in try SystemDirectory.names(at: classPath) {
            do {
                let directory = try SystemDirectory(at: classPath + "/" + name)
                interfaces.append(
                    try Self.parse(name: name) { file throws(HostReadError) in try directory.bytes(of: file) })
            } catch {
                // The bonding driver keeps a plain file among the directories.
                guard error.meansAbsent else { throw error }
            }
        }
        return interfaces
    }

    /// Returns the interface that the files of its directory describe.
    static func parse(
        name: String, file: (String) throws(HostReadError) -> [UInt8]
    ) throws(HostReadError) -> NetworkInterface {
        func word(_ path: String) throws(HostReadError) -> String {
            let bytes = try file(path)
            return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        }
        func number<Number: FixedWidthInteger>(_ path: String) throws(HostReadError) -> Number {
            let text = try word(path)
            guard let value = Number(text) else {
                throw HostReadError(path: "\(name)/\(path)", reason: "expected a number, found “\(text)”")
            }
            return value
        }
        let address = try word("address")
        // An interface that is down or has no speed answers with an error or with -1.
        let speed = (try? word("speed")).flatMap { Int32($0) }
        return NetworkInterface(
            name: name,
            hardwareAddress: address.contains { $0 != "0" && $0 != ":" } ? address : nil,
            state: InterfaceState(rawValue: try word("operstate")) ?? .unknown,
            mtu: try number("mtu"),
            speedMegabits: speed.flatMap { $0 > 0 ? Int($0) : nil },
            traffic: NetworkInterface.Traffic(
                receivedBytes: try number("statistics/rx_bytes"), sentBytes: try number("statistics/tx_bytes"),
                receivedPackets: try number("statistics/rx_packets"), sentPackets: try number("statistics/tx_packets"),
                receiveErrors: try number("statistics/rx_errors"), sendErrors: try number("statistics/tx_errors"),
                receiveDrops: try number("statistics/rx_dropped"), sendDrops: try number("statistics/tx_dropped")))
    }
}
