import ModelStore

/// A network interface with its counters. Its identity is its name.
@Record
struct NetworkInterface {
    /// Its name, such as `eth0`.
    @ID var name: String
    /// Its hardware address; nil when it has none, as the loopback.
    var hardwareAddress: String?
    /// Whether it can carry traffic.
    var state: InterfaceState
    /// The largest packet it carries, in bytes.
    var mtu: Int
    /// Its speed in Mbit/s; nil when it has none or does not know it.
    var speedMegabits: Int?
    /// What it carried since it was created.
    var traffic: Traffic

    /// The counters of an interface. They start at 0 and wrap around on some old hardware.
    @Embedded
    struct Traffic {
        /// Bytes received.
        var receivedBytes: UInt64
        /// Bytes sent.
        var sentBytes: UInt64
        /// Packets received.
        var receivedPackets: UInt64
        /// Packets sent.
        var sentPackets: UInt64
        /// Packets received with an error.
        var receiveErrors: UInt64
        /// Packets that could not be sent because of an error.
        var sendErrors: UInt64
        /// Packets received and dropped.
        var receiveDrops: UInt64
        /// Packets dropped instead of being sent.
        var sendDrops: UInt64
    }
}
