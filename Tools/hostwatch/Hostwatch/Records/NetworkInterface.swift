import ModelStore

/// A network interface with its counters. Its name identifies it on its machine.
@Record
struct NetworkInterface: HostRecord {
    /// The name of the machine. ``HostMirror`` sets it.
    @ID var host: String = ""
    /// The name, such as `eth0`.
    @ID var name: String
    /// The hardware address; nil if there is none, as for the loopback.
    var hardwareAddress: String?
    /// Whether the interface can carry traffic.
    var state: InterfaceState
    /// The size of the largest packet, in bytes.
    var mtu: Int
    /// The speed in Mbit/s; nil if there is none or it is unknown.
    var speedMegabits: Int?
    /// The traffic since the interface was created.
    var traffic: Traffic

    /// The counters of an interface. They start at 0, and wrap around on some old hardware.
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
