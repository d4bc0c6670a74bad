import LMDB

/// What a place in a tree of components owns and borrows: a scope of the registry without what else a ``Scope`` can do.
///
/// It belongs to whoever updates the tree, on one actor.
package final class ComponentPins {
    private let registry: OwnershipRegistry
    private let path: String
    private let number: UInt64
    private var owned: [PinID] = []
    private var borrowed: Set<PinID> = []
    /// Of what is only read: whoever has it otherwise answers for it after the end.
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

    /// Borrows an object until that is taken back, or the place ends.
    package func borrow(_ object: AnyObject, _ file: StaticString, _ line: UInt) -> Borrowing {
        let pin = registry.pin(object, .borrower, by: .scope(number), file, line)
        borrowed.insert(pin)
        return Borrowing(pin: pin)
    }

    /// Keeps an object that is read until that is taken back, or the place ends.
    package func keep(_ object: AnyObject, _ file: StaticString, _ line: UInt) -> Borrowing {
        let pin = registry.pin(object, .borrower, by: .program(inScope: number), file, line)
        read.insert(pin)
        return Borrowing(pin: pin)
    }

    /// Lets go what was borrowed or kept.
    package func takeBack(_ borrowing: Borrowing) {
        borrowed.remove(borrowing.pin)
        read.remove(borrowing.pin)
        registry.unpin(borrowing.pin)
    }

    /// Whether no scope or place owns or borrows an object that needs that: a record's model, which can be asked for again, does not.
    package func isUnowned(_ object: AnyObject) -> Bool {
        !(object is any RestingObject) && !registry.isInScope(object)
    }

    /// Lets go what it has, what it owns last, and ends.
    ///
    /// - Parameter scopes: the ids of scopes that end with it, whose tasks may have what it had until they have ended.
    package func end(with scopes: [UInt64]) {
        for pin in read { registry.unpin(pin) }
        read = []
        registry.unpin(owned + borrowed, of: path, number)
        owned = []
        borrowed = []
        registry.closed(number, with: scopes)
    }

    /// Something that a place borrows.
    package struct Borrowing {
        fileprivate let pin: PinID
    }
}
