/// The version of this library, which what it writes for others names.
package enum LibraryVersion {
    package static let text = "0.1.0"
}
