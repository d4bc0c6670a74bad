extension StoreDiagnostic {
    static var componentNotAStruct: StoreDiagnostic {
        .error(
            "componentNotAStruct",
            "'@Component' needs a struct: a component is a value that is made anew with each update")
    }

    static var notPublishable: StoreDiagnostic {
        .error("notPublishable", "'@Published' goes to a stored var of a class, one for each declaration")
    }

    static func publishedWithObservers(_ name: String) -> StoreDiagnostic {
        .error(
            "publishedWithObservers",
            "'\(name)' cannot have observers: '@Published' gives it accessors; observe 'objectWillChange' or '$\(name)' instead"
        )
    }

    static func publishedReference(_ modifier: String) -> StoreDiagnostic {
        .error(
            "publishedReference",
            "'@Published' keeps its value, so it cannot be '\(modifier)': remove the modifier, or publish a struct with a "
                + "\(modifier) property")
    }

    static func publishedWithoutType(_ name: String) -> StoreDiagnostic {
        .error(
            "publishedWithoutType",
            "write the type of '\(name)': '$\(name)' needs it, and it cannot be seen from the value")
    }
}
