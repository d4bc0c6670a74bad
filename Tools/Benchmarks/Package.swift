// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of ModelStore never build the peers that it is measured against.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "ModelStore", path: "../..", traits: ["Etcd"]),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // The plain C interface, separate from ModelStore's own: the raw side must not share its wrapper.
        .systemLibrary(name: "CLMDBRaw", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "CLMDBRaw",
                .product(name: "ModelStore", package: "ModelStore"),
                .product(name: "ModelStoreComponents", package: "ModelStore"),
                .product(name: "ModelStoreEtcd", package: "ModelStore"),
                .product(name: "ModelStoreReplay", package: "ModelStore"),
                .product(name: "ModelStoreReplication", package: "ModelStore"),
                .product(name: "ModelStoreTesting", package: "ModelStore"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// One loop gives every target the same settings as in the root package.
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
let treatsWarningsAsErrors = Context.environment["MODELSTORE_WARNINGS_AS_ERRORS"] != nil
for target in package.targets where target.type != .system {
    target.swiftSettings = treatsWarningsAsErrors ? settings + [.treatAllWarnings(as: .error)] : settings
}
