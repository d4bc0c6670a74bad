// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "ModelStore",
    products: [
        .library(name: "ModelStore", targets: ["ModelStore"]),
        .library(name: "ModelStoreComponents", targets: ["ModelStoreComponents"]),
        .library(name: "ModelStoreReplay", targets: ["ModelStoreReplay"]),
        .library(name: "ModelStoreReplication", targets: ["ModelStoreReplication"]),
        .library(name: "ModelStoreEtcd", targets: ["ModelStoreEtcd"]),
        .library(name: "ModelStorePostgres", targets: ["ModelStorePostgres"]),
        .library(name: "ModelStoreTesting", targets: ["ModelStoreTesting"]),
        .library(name: "ModelStoreService", targets: ["ModelStoreService"]),
        .library(name: "ModelStoreCombine", targets: ["ModelStoreCombine"]),
        .library(name: "ModelStoreEvents", targets: ["ModelStoreEvents"]),
        .executable(name: "store-cli", targets: ["store-cli"]),
        .executable(name: "hostwatch", targets: ["hostwatch"]),
    ],
    // Each adds to an adapter what needs a package, which is resolved and built only then.
    traits: [
        .trait(name: "ServiceLifecycle", description: "Services that run consumers and close stores at shutdown"),
        .trait(name: "Logging", description: "Events of stores and consumers as lines of a swift-log Logger"),
        .trait(name: "Metrics", description: "Commits, lag and use of stores as metrics of swift-metrics"),
        .trait(name: "OpenCombine", description: "Models, live queries and the feed as publishers of OpenCombine"),
        .trait(name: "ServerSentEvents", description: "Live queries as server-sent events in buffers of SwiftNIO"),
        .trait(name: "Etcd", description: "A log of replicas in an etcd cluster"),
        .trait(name: "Postgres", description: "A log of replicas in PostgreSQL; needs libpq-dev"),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    ],
    targets: [
        // The layers, lowest first. An arrow points from a layer to its users; nothing points back.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .target(name: "LMDB", dependencies: ["CLMDB"]),
        .target(name: "StoreEngine", dependencies: ["LMDB"]),
        .target(name: "StoreRuntime", dependencies: ["StoreEngine", "LMDB"]),
        // Conditions and orders as text, which people and traces write.
        .target(name: "StoreExpressions", dependencies: ["StoreEngine"]),
        .macro(
            name: "StoreMacros",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
            ]
        ),
        .target(name: "ModelStore", dependencies: ["StoreEngine", "StoreRuntime", "StoreMacros"]),

        // Trees of components, headless; a module of its own, as its names are those of other frameworks too.
        .target(
            name: "ModelStoreComponents",
            dependencies: ["ModelStore", "StoreRuntime", "StoreEngine", "LMDB", "StoreMacros"]
        ),

        // Recording what happens in a store, and doing it again.
        .target(
            name: "ModelStoreReplay",
            dependencies: ["StoreRuntime", "StoreEngine", "StoreExpressions", "LMDB"]
        ),

        // One store on several nodes, ordered by a log that they share.
        .target(name: "ModelStoreReplication", dependencies: ["StoreRuntime", "StoreEngine", "LMDB"]),

        // What programs' tests use.
        .target(
            name: "ModelStoreTesting",
            dependencies: [
                "ModelStore", "ModelStoreReplay", "ModelStoreReplication", "StoreRuntime", "StoreEngine", "LMDB",
            ]
        ),

        // Adapters to other packages, each behind a trait.
        .target(
            name: "ModelStoreService",
            dependencies: [
                "ModelStore", "ModelStoreReplication", "StoreRuntime", "StoreEngine", "LMDB",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ]
        ),
        .target(
            name: "ModelStoreCombine",
            dependencies: [
                "ModelStore", "ModelStoreComponents", "StoreRuntime", "StoreEngine", "LMDB",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
            ]
        ),
        .target(
            name: "ModelStoreEvents",
            dependencies: [
                "ModelStore", "StoreRuntime", "StoreEngine",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["ServerSentEvents"])),
            ]
        ),

        .target(
            name: "ModelStoreEtcd",
            dependencies: [
                "ModelStoreReplication", "StoreEngine",
                .product(name: "GRPCCore", package: "grpc-swift-2", condition: .when(traits: ["Etcd"])),
                .product(name: "SwiftProtobuf", package: "swift-protobuf", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["Etcd"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Etcd"])),
            ],
            exclude: ["Calls/etcd.proto"]
        ),
        // The C library has no package description that SwiftPM would ask for, so programs without the trait do not need it.
        .systemLibrary(name: "CLibPQ"),
        .target(
            name: "ModelStorePostgres",
            dependencies: [
                "ModelStoreReplication", "StoreRuntime", "StoreEngine", "LMDB",
                .target(name: "CLibPQ", condition: .when(traits: ["Postgres"])),
            ]
        ),

        // Tools: each is a library, which its tests import, and an executable of one line.
        .target(
            name: "LogArguments",
            dependencies: [
                "ModelStoreReplication", "ModelStoreEtcd", "ModelStorePostgres",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/log-arguments"
        ),
        .target(
            name: "StoreCommands",
            dependencies: [
                "StoreEngine", "StoreExpressions", "StoreRuntime", "ModelStoreReplay", "ModelStoreReplication",
                "LogArguments", "LMDB",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/store-cli/StoreCommands"
        ),
        .executableTarget(
            name: "store-cli",
            dependencies: ["StoreCommands", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tools/store-cli/Main"
        ),
        .target(
            name: "Hostwatch",
            dependencies: [
                "ModelStore", "ModelStoreReplay", "ModelStoreReplication", "LogArguments",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tools/hostwatch/Hostwatch"
        ),
        .executableTarget(
            name: "hostwatch",
            dependencies: ["Hostwatch", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tools/hostwatch/Main"
        ),

        .executableTarget(
            name: "cluster-node", dependencies: ["ModelStore", "ModelStoreReplication", "ModelStoreEtcd"],
            path: "Tools/cluster-node"),

        // Tests.
        // Programs beside a test: how it starts, kills and talks to them.
        .target(name: "ChildPrograms", path: "Tests/ChildPrograms"),
        // Seeded choices, the length of randomized tests, and files as another boot finds them.
        .target(name: "TestSupport", dependencies: ["LMDB"], path: "Tests/TestSupport"),
        // The checks that every log of replicas must pass.
        .target(
            name: "ReplicaChecks",
            dependencies: ["ModelStoreReplication", "ModelStore", "StoreRuntime", "TestSupport"],
            path: "Tests/ReplicaChecks"),
        .target(name: "ResealedTraces", dependencies: ["LMDB", "StoreEngine"], path: "Tests/ResealedTraces"),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "TestSupport"]),
        .testTarget(name: "StoreEngineTests", dependencies: ["StoreEngine", "LMDB", "TestSupport"]),
        .testTarget(
            name: "StoreRuntimeTests",
            dependencies: [
                "StoreRuntime", "StoreEngine", "StoreExpressions", "LMDB", "ChildPrograms", "CrashWorker",
                "TestSupport",
            ]),
        .testTarget(
            name: "ModelStoreTests",
            dependencies: ["ModelStore", "StoreRuntime", "StoreEngine", "LMDB", "ChildPrograms", "TestSupport"],
            exclude: ["Articles/Context", "Compiling/PublicInterface"]
        ),
        .testTarget(
            name: "ModelStoreReplayTests",
            dependencies: [
                "ModelStoreReplay", "ModelStoreTesting", "ModelStore", "StoreRuntime", "StoreEngine", "LMDB",
                "StoreExpressions", "ResealedTraces", "TestSupport",
            ],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "ModelStoreReplicationTests",
            dependencies: [
                "ModelStoreReplication", "ModelStoreTesting", "ModelStore", "ReplicaChecks", "StoreRuntime",
                "StoreEngine",
                "LMDB", "TestSupport",
            ]
        ),
        .testTarget(
            name: "ModelStoreEtcdTests",
            dependencies: [
                "ModelStoreEtcd", "ModelStoreReplication", "ReplicaChecks", "ModelStore", "store-cli", "ChildPrograms",
                "TestSupport",
            ]
        ),
        .testTarget(
            name: "ModelStorePostgresTests",
            dependencies: [
                "ModelStorePostgres", "ModelStoreReplication", "ReplicaChecks", "ModelStore", "StoreRuntime",
                "ChildPrograms", "TestSupport",
            ]
        ),
        .testTarget(
            name: "ModelStoreTestingTests",
            dependencies: ["ModelStoreTesting", "ModelStore", "StoreRuntime", "StoreEngine", "LMDB", "TestSupport"]
        ),
        .testTarget(
            name: "ModelStoreComponentsTests",
            dependencies: [
                "ModelStoreComponents", "ModelStoreReplay", "ModelStoreTesting", "ModelStore", "StoreRuntime",
                "StoreEngine", "LMDB", "TestSupport",
            ]
        ),
        .testTarget(
            name: "ModelStoreServiceTests",
            dependencies: [
                "ModelStoreService", "ModelStoreReplication", "ModelStoreTesting", "ModelStore", "StoreRuntime",
                "StoreEngine", "TestSupport",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "InMemoryLogging", package: "swift-log", condition: .when(traits: ["Logging"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ]
        ),
        .testTarget(
            name: "ModelStoreCombineTests",
            dependencies: [
                "ModelStoreCombine", "ModelStoreComponents", "ModelStore", "LMDB", "TestSupport",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
            ]
        ),
        .testTarget(
            name: "ModelStoreEventsTests",
            dependencies: [
                "ModelStoreEvents", "ModelStore", "StoreRuntime", "StoreEngine", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["ServerSentEvents"])),
            ]
        ),
        .testTarget(
            name: "StoreMacrosTests",
            dependencies: [
                "StoreMacros",
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ]
        ),
        .testTarget(name: "TidinessTests"),
        .testTarget(
            name: "HostwatchTests",
            dependencies: [
                "Hostwatch", "hostwatch", "ModelStore", "ModelStoreReplication", "ModelStoreTesting", "TestSupport",
            ]),
        .testTarget(
            name: "StoreExpressionsTests", dependencies: ["StoreExpressions", "StoreEngine", "TestSupport"]),
        .testTarget(
            name: "StoreCLITests",
            dependencies: [
                "StoreCommands", "store-cli", "Hostwatch", "StoreExpressions", "StoreRuntime", "StoreEngine", "LMDB",
                "ModelStore", "ModelStoreReplication", "ModelStoreTesting", "ChildPrograms", "ResealedTraces",
                "TestSupport",
            ],
            exclude: ["Golden", "Fixtures"]
        ),
        // What tests start, let write and kill. Tests/SyncLog is C that they compile and preload into it.
        .executableTarget(
            name: "CrashWorker",
            dependencies: ["StoreRuntime", "StoreEngine", "LMDB"],
            path: "Tests/CrashWorker"
        ),
        // Three versions of one program, which migrate a store under each other.
        .executableTarget(
            name: "VersionWorker",
            dependencies: ["ModelStore", "StoreRuntime", "StoreEngine"],
            path: "Tests/VersionWorker"
        ),
        // Programs that write and consume a feed.
        .executableTarget(name: "FeedWorker", dependencies: ["ModelStore", "TestSupport"], path: "Tests/FeedWorker"),
        // A program that damages copies of a store and uses them, and that tries changed inputs.
        .executableTarget(
            name: "DamageWorker",
            dependencies: [
                "ModelStore", "ModelStoreEvents", "ModelStoreReplay", "StoreRuntime", "StoreEngine",
                "StoreExpressions", "StoreCommands", "ChildPrograms", "ResealedTraces", "TestSupport",
            ],
            path: "Tests/DamageWorker"),
        // A service that works for days, while a test measures its resources.
        .executableTarget(name: "SoakWorker", dependencies: ["ModelStore", "TestSupport"], path: "Tests/SoakWorker"),
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "CrashWorker", "VersionWorker", "FeedWorker", "DamageWorker", "SoakWorker", "store-cli",
                "ChildPrograms", "LMDB", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// One loop gives every target the same settings.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
]
// Tools/docs sets it; programs that depend on this package resolve no plugin.
if Context.environment["MODELSTORE_DOCS"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
// Tools/test and Tools/demo set it; programs that depend on this package must not fail on a newer compiler's warnings.
let treatsWarningsAsErrors = Context.environment["MODELSTORE_WARNINGS_AS_ERRORS"] != nil
// They set this one too: the tests take half the time where what they test is optimized. Assertions stay. It is for this
// package's own builds alone, as packages that others depend on may have no such flags.
let optimizesDebugBuilds = Context.environment["MODELSTORE_OPTIMIZED"] != nil
// Where bytes are read through pointers, an unmarked unsafe expression is an error.
let pointerTargets: Set<String> = ["LMDB", "StoreEngine"]
for target in package.targets where target.type != .system {
    var own = settings
    if treatsWarningsAsErrors { own.append(.treatAllWarnings(as: .error)) }
    if pointerTargets.contains(target.name) {
        own.append(.treatWarning("StrictMemorySafety", as: .error))
    }
    if optimizesDebugBuilds, target.type == .regular {
        own.append(.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)))
    }
    target.swiftSettings = own
}
