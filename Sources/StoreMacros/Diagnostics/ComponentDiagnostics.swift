extension StoreDiagnostic {
    static var notPublishable: StoreDiagnostic {
        .error("notPublishable", "@Published goes to a stored var of a class, one for each declaration")
    }

    static func publishedWithoutType(_ name: String) -> StoreDiagnostic {
        .error(
            "publishedWithoutType",
            "write the type of \(name): it is needed for $\(name) and cannot be seen from its value")
    }
}
