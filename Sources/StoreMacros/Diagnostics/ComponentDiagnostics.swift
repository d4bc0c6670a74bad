extension StoreDiagnostic {
    static var componentNotAStruct: StoreDiagnostic {
        .error(
            "componentNotAStruct",
            "'@Component' needs a struct: a component is a value that is made anew with each update")
    }

    static var notPublishable: StoreDiagnostic {
        .error("notPublishable", "'@Published' goes to a stored var of a class, one for each declaration")
    }

    static func publishedWithoutType(_ name: String) -> StoreDiagnostic {
        .error(
            "publishedWithoutType",
            "write the type of '\(name)': '$\(name)' needs it, and it cannot be seen from the value")
    }
}
