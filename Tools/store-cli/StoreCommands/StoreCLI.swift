import ArgumentParser

/// The root of all commands.
struct StoreCLI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store-cli",
        abstract: "Inspects and changes any ModelStore, without the program's Swift types and while services run.",
        usage: "store-cli --store DIR [--output table|json|jsonl|csv] [--timeout SECONDS] COMMAND …",
        discussion: """
            Without --store, MODELSTORE_DIR names the store. Results go to standard output, everything else to \
            standard error.

            Exit status: 0 done; 1 not found, condition not met, constraint violated or damage found; 2 a log of \
            replicas cannot be reached; 64 wrong usage \
            or expression; 65 bad input data; 66 no such store or file; 74 input/output error, disk or map full; 75 \
            another program wrote for longer than --timeout; 76 the disk failed, and the write may or may not have been \
            made; 78 the store's format is newer than this program, or too old for the change.
            """,
        subcommands: [
            Create.self, Types.self, Schema.self, Import.self, Export.self, Get.self, Query.self, Insert.self,
            Upsert.self, SetFields.self, Delete.self, Watch.self, Feed.self, At.self, Diff.self, Undo.self,
            Revert.self, Consumers.self, Migrate.self, Stat.self,
            Readers.self, Verify.self, ReplicationGroup.self,
            Record.self, Replay.self,
            Backup.self, Compact.self, Restore.self, RedoLog.self, Upgrade.self,
        ])

    @OptionGroup var options: GlobalOptions
}
