import ModelStore

/// The activity of a process, from the letter in `/proc/[pid]/stat`.
enum ProcessState: String, FieldValue, CaseIterable {
    case running
    case sleeping
    case waitingForDisk
    case stopped
    case traced
    case zombie
    case dead
    case idle
    case parked
    case unknown

    /// The state for the kernel's letter.
    init(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "R"): self = .running
        case UInt8(ascii: "S"): self = .sleeping
        // K and W are kinds of uninterruptible sleep in older kernels.
        case UInt8(ascii: "D"), UInt8(ascii: "K"), UInt8(ascii: "W"): self = .waitingForDisk
        case UInt8(ascii: "T"): self = .stopped
        case UInt8(ascii: "t"): self = .traced
        case UInt8(ascii: "Z"): self = .zombie
        case UInt8(ascii: "X"), UInt8(ascii: "x"): self = .dead
        case UInt8(ascii: "I"): self = .idle
        case UInt8(ascii: "P"): self = .parked
        default: self = .unknown
        }
    }
}
