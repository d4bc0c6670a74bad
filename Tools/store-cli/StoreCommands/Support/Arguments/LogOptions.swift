import ArgumentParser
import LogArguments
import ModelStoreReplication

/// The options that name a log and the engine that keeps it.
struct LogOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name of the log.", valueName: "name"))
    var log: String

    @OptionGroup var engine: EngineOptions

    func validate() throws { try engine.requireEngine() }

    /// Opens the log, and runs `body` with its administration.
    func administer<T: Sendable>(_ body: @escaping @Sendable (LogAdministration) async throws -> T) throws -> T {
        let options = self
        return try AsyncWork.run {
            do {
                let log = try await options.engine.open(log: options.log)
                guard let snapshots = options.engine.snapshots else { return try await body(LogAdministration(log)) }
                return try await body(LogAdministration(log, snapshots: .directory(snapshots)))
            } catch let error as SharedLogError {
                throw CommandFailure(error.code == .refused ? .usage : .unreachable, error.message)
            }
        }
    }
}
