/// Where the state of the machine comes from.
protocol HostSource: Sendable {
    /// The state now. May block for some seconds.
    ///
    /// - Throws: ``HostReadError`` naming the file that could not be read.
    func read() throws(HostReadError) -> HostSnapshot
}
