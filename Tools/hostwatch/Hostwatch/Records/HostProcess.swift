import Foundation
import ModelStore

/// A process of this machine.
///
/// Its identity is process id and start time, because the kernel gives an id again once its process is gone.
@Record
struct HostProcess {
    /// The process id.
    @ID var pid: Int32
    /// When it started, in clock ticks after boot.
    @ID var startTicks: UInt64
    /// The process id of its parent; 0 for the first process and for parents outside this pid namespace.
    var parent: Int32
    /// The name the kernel knows it by, at most 15 bytes of what it runs unless it renamed itself.
    var name: String
    /// Its arguments, the program first; none for kernel threads and zombies.
    var commandLine: [String]
    /// The user whose rights it has (the effective user id).
    var userID: UInt32
    /// What it is doing.
    var state: ProcessState
    /// Its memory that is in RAM now.
    @Indexed var residentBytes: UInt64
    /// The size of its address space.
    var virtualBytes: UInt64
    /// The time it ran on processors so far, in user mode and in the kernel.
    var cpuSeconds: Double
    /// How many threads it has.
    var threads: Int
    /// When it started, by the clock on the wall.
    ///
    /// The kernel computes the boot time from the present time of day and rounds it to seconds, so that this date may
    /// move by a second or when the clock is set; ``startTicks`` does not.
    var started: Date
}
