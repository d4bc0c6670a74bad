/// The package traits, as far as articles depend on them.
enum PackageTraits {
    /// The modules that exist, or have contents, only with a trait.
    private static let modules: [String: Set<String>] = [
        "OpenCombine": ["OpenCombine", "ModelStoreCombine"],
        "ServerSentEvents": ["NIOCore", "ModelStoreEvents"],
        "ServiceLifecycle": ["ServiceLifecycle", "UnixSignals", "ModelStoreService"],
        "Logging": ["Logging"],
        "Metrics": ["Metrics"],
        "Etcd": ["ModelStoreEtcd"],
        "Postgres": ["ModelStorePostgres"],
    ]

    /// The traits of this build. SwiftPM defines a condition for each.
    static let enabled: Set<String> = {
        var traits: Set<String> = []
        #if OpenCombine
        traits.insert("OpenCombine")
        #endif
        #if ServerSentEvents
        traits.insert("ServerSentEvents")
        #endif
        #if ServiceLifecycle
        traits.insert("ServiceLifecycle")
        #endif
        #if Logging
        traits.insert("Logging")
        #endif
        #if Metrics
        traits.insert("Metrics")
        #endif
        #if Etcd
        traits.insert("Etcd")
        #endif
        #if Postgres
        traits.insert("Postgres")
        #endif
        return traits
    }()

    /// Returns the traits that a program with these imports needs and this build does not have, sorted.
    static func missing(for imports: Set<String>) -> [String] {
        modules.filter { !enabled.contains($0.key) && !$0.value.isDisjoint(with: imports) }.map(\.key).sorted()
    }
}
