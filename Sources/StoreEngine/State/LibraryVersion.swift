/// The version of this library, for files and messages that name it.
package enum LibraryVersion {
    package static let text = "0.1.0"
}
