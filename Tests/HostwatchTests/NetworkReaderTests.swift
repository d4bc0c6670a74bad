import Testing

@testable import hostwatch

@Suite("Network interfaces")
struct NetworkReaderTests {
    private static let files = [
        "address": "52:54:00:12:34:56\n", "operstate": "up\n", "mtu": "1500\n", "speed": "1000\n",
        "statistics/rx_bytes": "18446744073709551615\n", "statistics/tx_bytes": "2\n", "statistics/rx_packets": "3\n",
        "statistics/tx_packets": "4\n", "statistics/rx_errors": "5\n", "statistics/tx_errors": "6\n",
        "statistics/rx_dropped": "7\n", "statistics/tx_dropped": "8\n",
    ]

    @Test("every field and counter is read, up to 64 bits")
    func fixture() throws {
        let root = try TemporaryFiles(
            Dictionary(
                uniqueKeysWithValues: Self.files.map { ("eth0/" + $0.key, $0.value) } + [("bonding_masters", "\n")])
        )
        #expect(
            try NetworkReader(classPath: root.path).read() == [
                NetworkInterface(
                    name: "eth0", hardwareAddress: "52:54:00:12:34:56", state: .up, mtu: 1500, speedMegabits: 1000,
                    traffic: NetworkInterface.Traffic(
                        receivedBytes: .max, sentBytes: 2, receivedPackets: 3, sentPackets: 4, receiveErrors: 5,
                        sendErrors: 6, receiveDrops: 7, sendDrops: 8))
            ])
    }

    private func parse(_ changes: [String: String?]) throws -> NetworkInterface {
        var files = Self.files
        for (name, content) in changes { files[name] = content }
        return try NetworkReader.parse(name: "x0") { name throws(HostReadError) in
            guard let content = files[name] else { throw HostReadError(path: name, systemCode: 22) }
            return Array(content.utf8)
        }
    }

    @Test("what an interface does not have is nil or unknown")
    func absent() throws {
        #expect(try parse(["speed": "-1\n"]).speedMegabits == nil)
        #expect(try parse(["speed": "4294967295\n"]).speedMegabits == nil)
        #expect(try parse(["speed": nil]).speedMegabits == nil)
        #expect(try parse(["address": "00:00:00:00:00:00\n"]).hardwareAddress == nil)
        #expect(try parse(["address": "\n"]).hardwareAddress == nil)
        #expect(try parse(["operstate": "lowerlayerdown\n"]).state == .lowerLayerDown)
        #expect(try parse(["operstate": "new word\n"]).state == .unknown)
    }

    @Test("a counter that is no number, or missing, is an error")
    func damage() {
        #expect(throws: HostReadError.self) { try parse(["statistics/rx_bytes": "many\n"]) }
        #expect(throws: HostReadError.self) { try parse(["mtu": "-1x\n"]) }
        #expect(throws: HostReadError.self) { try parse(["statistics/tx_bytes": nil]) }
        #expect(throws: HostReadError.self) { try NetworkReader(classPath: "/nowhere").read() }
    }

    @Test("this machine has a loopback")
    func thisMachine() throws {
        let interfaces = try NetworkReader().read()
        let loopback = try #require(interfaces.first { $0.name == "lo" })
        #expect(loopback.hardwareAddress == nil)
        #expect(loopback.mtu >= 1_280)
        #expect(loopback.traffic.receivedBytes == loopback.traffic.sentBytes)
        #expect(Set(interfaces.map(\.name)).count == interfaces.count)
    }
}
