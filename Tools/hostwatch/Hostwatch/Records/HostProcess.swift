import Foundation
import ModelStore

/// A process of a machine.
///
/// The process id and the start time identify it there, because the kernel reuses the id of a process that is gone.
@Record
struct HostProcess: HostRecord {
    /// The name of the machine. ``HostMirror`` sets it.
    @ID var host: String = ""
    /// The process id.
    @ID var pid: Int32
    /// The start time, in clock ticks after boot.
    @ID var startTicks: UInt64
    /// The process id of its parent; 0 for the first process and for parents outside this pid namespace.
    var parent: Int32
    /// The name in the kernel: at most 15 bytes of the program's name, unless the process renamed itself.
    var name: String
    /// The arguments, the program first; empty for kernel threads and zombies.
    var commandLine: [String]
    /// The user whose rights the process has (the effective user id).
    var userID: UInt32
    /// The activity of the process.
    var state: ProcessState
    /// The memory that is in RAM now.
    @Indexed var residentBytes: UInt64
    /// The size of the address space.
    var virtualBytes: UInt64
    /// The processor time so far, in user mode and in the kernel.
    var cpuSeconds: Double
    /// The number of threads.
    var threads: Int
    /// The start time, by the wall clock.
    ///
    /// The kernel computes the boot time from the current time of day and rounds it to seconds. So this date may shift by a
    /// second, or when the clock is set. ``startTicks`` does not shift.
    var started: Date
}
