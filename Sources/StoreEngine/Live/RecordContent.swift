import Synchronization

/// The bytes of one record at one time, shared by all that show it.
///
/// What they are decoded to is kept with them: of all who read the record the first decodes it.
package final class RecordContent: Sendable {
    /// The whole record, in the form of its type's newest version.
    package let bytes: [UInt8]
    /// Set once; whoever comes second with the same takes what is there.
    private let form = AtomicLazyReference<DecodedContent>()

    /// - Parameter bytes: a whole record as ``RecordBytes`` reads it, in the form of its type's newest version.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What the bytes are decoded to.
    ///
    /// - Parameter make: decodes them; not called when somebody has done so before.
    package func decoded<E: Error>(_ make: () throws(E) -> DecodedContent) throws(E) -> DecodedContent {
        if let form = form.load() { return form }
        return form.storeIfNil(try make())
    }
}

/// What a record's bytes were decoded to, by whoever knows its Swift type.
package final class DecodedContent: Sendable {
    /// The record's Swift form.
    package let value: any Sendable

    package init(_ value: any Sendable) { self.value = value }
}
