/// Diagnostics for the struct as a whole.
extension StoreDiagnostic {
    static func notAStruct(attribute: String) -> StoreDiagnostic {
        .error("notAStruct", "'@\(attribute)' needs a struct: the store holds values")
    }

    static func genericStruct(_ name: String) -> StoreDiagnostic {
        .error("genericStruct", "'\(name)' cannot be generic: the store keeps one schema for each type")
    }

    static func genericContext(_ name: String) -> StoreDiagnostic {
        .error("genericContext", "'\(name)' cannot be inside a generic type: the store keeps one schema for each type")
    }

    static func nestedPrivate(_ name: String) -> StoreDiagnostic {
        .error("nestedPrivate", "the extension generated for '\(name)' cannot reach a private type inside another type")
    }

    static func noncopyable(_ name: String) -> StoreDiagnostic {
        .error("noncopyable", "'\(name)' must be copyable: the store returns copies")
    }

    static func conditionalMembers(_ name: String) -> StoreDiagnostic {
        .error(
            "conditionalMembers",
            "'#if' inside '\(name)' would give it a schema for each build: move it out of the struct"
        )
    }

    static func generatedName(_ name: String, attribute: String) -> StoreDiagnostic {
        .error("generatedName", "'\(name)' is the name of a member that '@\(attribute)' generates")
    }

    static func tooManyFields(_ count: Int, limit: Int) -> StoreDiagnostic {
        .error("tooManyFields", "\(count) fields are more than the \(limit) a record can have")
    }

    static func noFields(_ name: String) -> StoreDiagnostic {
        .error("noFields", "'\(name)' has no stored property")
    }

    static func invalidStoredName(_ name: String) -> StoreDiagnostic {
        .error(
            "invalidStoredName",
            "\"\(name)\" cannot be a name in the store: use 1 to 128 letters, digits, '_', '-' and '.'"
        )
    }

    static func storedNameNotLiteral() -> StoreDiagnostic {
        .error("storedNameNotLiteral", "the name in the store must be a string literal without interpolation")
    }

    static func publicInitNotLiteral() -> StoreDiagnostic {
        .error("publicInitNotLiteral", "'publicInit' must be 'true' or 'false'")
    }

    static func publicInitOfInternalStruct(_ name: String) -> StoreDiagnostic {
        .error(
            "publicInitOfInternalStruct",
            "'\(name)' is not public, so leave out 'publicInit': it has Swift's initializer")
    }

    static func publicInitBesideInitializer(_ name: String) -> StoreDiagnostic {
        .error("publicInitBesideInitializer", "'\(name)' declares an initializer, so leave out 'publicInit'")
    }

    static func notInPublicInit(_ name: String) -> StoreDiagnostic {
        .error(
            "notInPublicInit",
            "'\(name)' is not public, so the public initializer cannot set it: give it an initial value, or make it public"
        )
    }

    static func equalityWithoutConformance(_ name: String) -> StoreDiagnostic {
        .error("equalityWithoutConformance", "'\(name)' has an '==' of its own, so it must declare 'Equatable' itself")
    }

    static func transientWithoutEquality(_ type: String, _ name: String) -> StoreDiagnostic {
        .error(
            "transientWithoutEquality",
            "records are Equatable and '\(type)' is not: "
                + "give the struct an '==' without '\(name)', and declare 'Equatable' on it"
        )
    }

    static func noID(_ name: String) -> StoreDiagnostic {
        .error("noID", "'\(name)' has no '@ID' property to identify its records")
    }
}
