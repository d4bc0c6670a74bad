import Foundation
import LMDB

/// Runs parts of tasks on threads of their own, so that a long read keeps no thread of the cooperative pool.
///
/// Each part gets a thread: ``gate`` limits how many there are at once. If the system starts no thread, the part runs in the
/// cooperative pool.
final class ReadExecutor: TaskExecutor {
    static let shared = ReadExecutor()
    /// The reads of this process that run at once. More than the processors, because a read that waits for the disk uses none.
    static let gate = ReadGate(limit: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        do {
            try SystemThread.start("store-read", for: nil) {
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
        } catch {
            globalConcurrentExecutor.enqueue(job)
        }
    }
}
