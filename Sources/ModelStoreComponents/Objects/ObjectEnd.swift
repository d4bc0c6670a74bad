@_spi(Reflection) import Swift

/// Reports the end of an object. The storage of a published property of the object holds it, so both are released together.
final class ObjectEnd: Sendable {
    private let id: ObjectIdentifier
    private let change: ObjectWillChange

    private init(_ id: ObjectIdentifier, _ change: ObjectWillChange) {
        self.id = id
        self.change = change
    }

    deinit {
        ObjectWillChanges.shared.forget(id, change)
        change.end()
    }

    /// Puts an instance into the first published property of an object, if the object has one.
    ///
    /// Finds the property by the types of the fields. A `Mirror` would read all fields while other threads may be changing them.
    ///
    /// - Returns: whether the object has such a property.
    static func attach(to object: AnyObject, _ id: ObjectIdentifier, _ change: ObjectWillChange) -> Bool {
        var isKept = false
        let classes = _EachFieldOptions(rawValue: 1)
        _ = unsafe _forEachField(of: type(of: object), options: classes) { name, offset, type, _ in
            // The macro names the storage of `user` `_user`. The storage is a constant.
            guard unsafe name.pointee == UInt8(ascii: "_"), type is any PublishedStorage.Type else { return true }
            let field = unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
                .load(fromByteOffset: offset, as: AnyObject.self)
            isKept = (field as? any PublishedStorage)?.keep { ObjectEnd(id, change) } ?? false
            return !isKept
        }
        return isKept
    }
}

/// The storage of a published property, or a subject that the program itself keeps in a property of such a name.
protocol PublishedStorage: AnyObject, Sendable {
    /// Keeps an end sentinel until the object whose property this is ends.
    ///
    /// - Returns: false if the program made the subject, because it may outlive the object and belong to several objects. Also
    ///   false if the subject already keeps a sentinel.
    func keep(_ end: () -> ObjectEnd) -> Bool
}
