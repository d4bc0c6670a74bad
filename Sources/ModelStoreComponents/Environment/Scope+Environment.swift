import StoreEngine
public import StoreRuntime

extension Scope {
    /// Provides an object that the scopes and components within this scope find by its type. The scope owns the object until it
    /// provides another of the same type, or closes.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func provide<Object: AnyObject & Sendable>(
        _ object: Object, file: StaticString = #fileID, line: UInt = #line
    ) throws {
        let subject = try part { ScopeEnvironment() }.subject(ObjectIdentifier(Object.self))
        if subject.snapshot.value?.value as AnyObject? === object { return }
        let new = ScopeEnvironment.Value(value: object, pin: try ownForNow(object, file: file, line: line))
        var old: ScopeEnvironment.Value?
        subject.update { value in
            old = value
            value = new
        }
        if let pin = old?.pin { takeBack(pin) }
    }

    /// Returns the object of a type that the nearest of this scope and its ancestors provides. Tracked by Observation.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `notProvided` if none of them provides one.
    public func environmentObject<Object: AnyObject & Sendable>(_ type: Object.Type = Object.self) throws -> Object {
        if let object = provided(ObjectIdentifier(type)) as? Object { return object }
        throw StoreError(
            .notProvided, "no \(type) is provided to the scope \(path)",
            remedy: "provide one on this scope or on an outer scope")
    }

    /// Sets an environment value for the scopes and components within this scope.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func setEnvironment<Value: Sendable>(
        _ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) throws {
        var values = EnvironmentValues { [self] in provided($0) }
        values[keyPath: path] = value
        let environment = try part { ScopeEnvironment() }
        for (key, value) in values.overrides {
            environment.subject(key).send(ScopeEnvironment.Value(value: value))
        }
    }

    /// Returns an environment value. Tracked by Observation.
    public func environment<Value>(_ path: KeyPath<EnvironmentValues, Value>) -> Value {
        EnvironmentValues { [self] in provided($0) }[keyPath: path]
    }
}
