import Glibc

/// The lines that a test reads. The tried code prints to the standard descriptors, which lead nowhere.
struct WorkerReport {
    private let descriptor: Int32

    /// Takes over standard output.
    ///
    /// - Parameter keepsInput: whether the process reads its standard input.
    init(keepsInput: Bool = false) {
        descriptor = dup(1)
        let nowhere = unsafe open("/dev/null", O_RDWR)
        for standard: Int32 in (keepsInput ? 1 : 0)...2 { dup2(nowhere, standard) }
    }

    /// Writes a line at once, because the process may end in the next step.
    func line(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
}
