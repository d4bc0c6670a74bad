extension StoreDiagnostic {
    static var componentNotAStruct: StoreDiagnostic {
        .error(
            "componentNotAStruct",
            "'@Component' needs a struct: a component is a value that each update creates again")
    }

    static var notPublishable: StoreDiagnostic {
        .error("notPublishable", "'@Published' needs a stored var of a class, and one var in each declaration")
    }

    static func publishedClosure(_ name: String) -> StoreDiagnostic {
        .error(
            "publishedClosure",
            "the closure '\(name)' must be '@Sendable': any thread can read and set a published property")
    }

    static func publishedReference(_ modifier: String) -> StoreDiagnostic {
        .error(
            "publishedReference",
            "'@Published' stores its value, so it cannot be '\(modifier)': remove the modifier, or publish a struct with a "
                + "\(modifier) property")
    }

    static func publishedWithoutType(_ name: String) -> StoreDiagnostic {
        .error(
            "publishedWithoutType",
            "write the type of '\(name)': '$\(name)' needs it, and the macro cannot infer it from the value")
    }
}
