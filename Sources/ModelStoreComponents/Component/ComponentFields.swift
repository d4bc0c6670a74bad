import StoreEngine
import StoreRuntime

/// The stored properties of a component's type, by which the host compares two values of it. The macro ``Component()`` adds them.
public struct ComponentFields<C> {
    private let registry: OwnershipRegistry
    private var comparisons: [(C, C) -> Bool] = []

    init(_ registry: OwnershipRegistry) { self.registry = registry }

    /// Adds a property.
    public mutating func add<Value>(_ path: KeyPath<C, Value>) {
        let areSame = comparison(of: Value.self)
        comparisons.append { areSame($0[keyPath: path], $1[keyPath: path]) }
    }

    /// Returns whether two values of the component are the same in all properties.
    func areSame(_ old: C, _ new: C) -> Bool {
        Sameness.haveSameBits(old, new) || comparisons.allSatisfy { $0(old, new) }
    }

    private func comparison<Value>(of type: Value.Type) -> (Value, Value) -> Bool {
        if let type = type as? any DeclaredProperty.Type, let known = declared(type) as? (Value, Value) -> Bool {
            return known
        }
        if type is any DynamicProperty.Type {
            // Its parts include the objects that a place hosts, which a new value does not have yet.
            return Sameness.comparison(of: type) ?? { Sameness.haveSameBits($0, $1) }
        }
        return Sameness.wholeComparison(of: type) ?? {
            Sameness.haveSameBits($0, $1) || Sameness.haveSameContent($0, $1)
        }
    }

    /// Returns a comparison of the property's type.
    private func declared<Property: DeclaredProperty>(_ type: Property.Type) -> Any {
        let comparison: (Property, Property) -> Bool = { [registry] old, new in
            Sameness.haveSameBits(old, new) || new.declaresSame(as: old, in: registry)
        }
        return comparison
    }
}

extension Sameness {
    /// Returns whether two existentials contain the same. False for other values.
    fileprivate static func haveSameContent<Value>(_ old: Value, _ new: Value) -> Bool {
        func compare<Content>(_ type: Content.Type) -> Bool {
            guard Content.self != Value.self, let old = old as? Content, let new = new as? Content else { return false }
            return wholeComparison(of: type)?(old, new) ?? haveSameBits(old, new)
        }
        // Opening the value itself would yield the type of the existential.
        let type = type(of: old as Any)
        return type == Swift.type(of: new as Any) && _openExistential(type, do: compare)
    }
}

/// A property of a component whose values cannot be compared by `==`, or only in part.
protocol DeclaredProperty {
    /// Returns whether an update with this value would do the same as with the value before, which a place may host.
    func declaresSame(as old: Self, in registry: OwnershipRegistry) -> Bool
}

extension Binding: DeclaredProperty {
    func declaresSame(as old: Binding, in registry: OwnershipRegistry) -> Bool { source != nil && source == old.source }
}
