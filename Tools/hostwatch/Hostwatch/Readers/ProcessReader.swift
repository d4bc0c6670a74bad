import Foundation
import Glibc

/// Reads the processes of this machine from `/proc`.
struct ProcessReader {
    /// The mount point of the proc file system.
    var procPath = "/proc"
    /// The kernel's clock ticks per second.
    var ticksPerSecond = Double(max(sysconf(CInt(_SC_CLK_TCK)), 1))

    /// Returns all processes that this user may see.
    ///
    /// Processes come and go during the reading. A process that ends before it is read completely is left out.
    func read() throws(HostReadError) -> [HostProcess] {
        let statPath = procPath + "/stat"
        guard let bootTime = parseBootTime(try SystemDirectory.bytes(at: statPath)) else {
            throw HostReadError(path: statPath, reason: "it lacks the line “btime” with the boot time")
        }
        var processes: [HostProcess] = []
        for name in try SystemDirectory.names(at: procPath) {
            guard Int32(name) != nil else { continue }
            do {
                processes.append(try readProcess(at: procPath + "/" + name, bootTime: bootTime))
            } catch {
                guard error.meansAbsent else { throw error }
            }
        }
        return processes
    }

    /// Returns the process whose directory is at `path`.
    func readProcess(at path: String, bootTime: UInt64) throws(HostReadError) -> HostProcess {
        let directory = try SystemDirectory(at: path)
        guard let stat = ProcessStat(try directory.bytes(of: "stat")) else {
            throw HostReadError(path: path + "/stat", reason: "it does not have the form that proc(5) describes")
        }
        guard let status = ProcessStatus(try directory.bytes(of: "status")) else {
            throw HostReadError(path: path + "/status", reason: "it does not have the form that proc(5) describes")
        }
        return HostProcess(
            pid: stat.pid, startTicks: stat.startTicks, parent: stat.parent, name: stat.name,
            commandLine: parseCommandLine(try directory.bytes(of: "cmdline")), userID: status.userID,
            state: stat.state, residentBytes: status.residentBytes, virtualBytes: stat.virtualBytes,
            cpuSeconds: (Double(stat.userTicks) + Double(stat.systemTicks)) / ticksPerSecond, threads: stat.threads,
            started: Date(timeIntervalSince1970: Double(bootTime) + Double(stat.startTicks) / ticksPerSecond))
    }
}
