/// Reads the state of the machine.
protocol HostSource: Sendable {
    /// Returns the current state. May block for some seconds.
    ///
    /// - Throws: ``HostReadError`` naming the file that could not be read.
    func read() throws(HostReadError) -> HostSnapshot
}
