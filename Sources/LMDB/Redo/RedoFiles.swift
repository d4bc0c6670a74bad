/// The names of the redo log's files, which belong to a data file.
package enum RedoFiles {
    package static let names = [CheckpointFile.name, RedoLogFile.name]
}
