import LMDB

/// The objects that a place in a tree of components owns and borrows: a scope of the registry, without the other features of a
/// ``Scope``.
///
/// Only the code that updates the tree uses it, on one actor.
package final class ComponentPins {
    private let registry: OwnershipRegistry
    private let path: String
    private let number: UInt64
    private var owned: [PinID] = []
    private var borrowed: Set<PinID> = []
    /// The pins of objects that are only read. After the end, the other owners of these objects are responsible for them.
    private var read: Set<PinID> = []

    package init(
        _ path: String, in scope: Scope, parent: ComponentPins?, _ file: StaticString, _ line: UInt
    ) {
        registry = scope.registry
        self.path = path
        number = registry.open(path, in: parent?.number ?? scope.number, file, line)
    }

    /// Owns an object until the place ends.
    package func own(_ object: AnyObject, _ file: StaticString, _ line: UInt) {
        owned.append(registry.pin(object, .owner, by: .scope(number), file, line))
    }

    /// Borrows an object until ``takeBack(_:)`` releases it, or the place ends.
    package func borrow(_ object: AnyObject, _ file: StaticString, _ line: UInt) -> Borrowing {
        let pin = registry.pin(object, .borrower, by: .scope(number), file, line)
        borrowed.insert(pin)
        return Borrowing(pin: pin)
    }

    /// Keeps an object that is read, until ``takeBack(_:)`` releases it, or the place ends.
    package func keep(_ object: AnyObject, _ file: StaticString, _ line: UInt) -> Borrowing {
        let pin = registry.pin(object, .borrower, by: .program(inScope: number), file, line)
        read.insert(pin)
        return Borrowing(pin: pin)
    }

    /// Releases a borrowed or kept object.
    package func takeBack(_ borrowing: Borrowing) {
        borrowed.remove(borrowing.pin)
        read.remove(borrowing.pin)
        registry.unpin(borrowing.pin)
    }

    /// Whether an object needs an owner or borrower, and no scope or place is one. A record's model needs none, because a caller
    /// can ask for it again.
    package func isUnowned(_ object: AnyObject) -> Bool {
        !(object is any RestingObject) && !registry.isInScope(object)
    }

    /// Releases the objects, the owned ones last, and ends the place.
    ///
    /// - Parameter scopes: the ids of scopes that end with the place. Their tasks may have its objects until they have ended.
    package func end(with scopes: [UInt64]) {
        for pin in read { registry.unpin(pin) }
        read = []
        registry.unpin(owned + borrowed, of: path, number)
        owned = []
        borrowed = []
        registry.closed(number, with: scopes)
    }

    /// An object that a place borrows or keeps.
    package struct Borrowing {
        fileprivate let pin: PinID
    }
}
