// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of ModelStore never resolve a web server.
let package = Package(
    name: "livepage",
    products: [.executable(name: "livepage", targets: ["livepage"])],
    dependencies: [
        .package(name: "ModelStore", path: "../..", traits: ["ServerSentEvents", "ServiceLifecycle"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.4"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "Livepage",
            dependencies: [
                .product(name: "ModelStore", package: "ModelStore"),
                .product(name: "ModelStoreComponents", package: "ModelStore"),
                .product(name: "ModelStoreEvents", package: "ModelStore"),
                .product(name: "ModelStoreService", package: "ModelStore"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Livepage",
            resources: [
                .embedInCode("Page/index.html"), .embedInCode("Page/live.css"), .embedInCode("Page/live.js"),
            ]
        ),
        .executableTarget(
            name: "livepage",
            dependencies: ["Livepage", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Main"),
        .testTarget(
            name: "LivepageTests",
            dependencies: [
                "Livepage", "livepage",
                .product(name: "ModelStore", package: "ModelStore"),
                .product(name: "ModelStoreComponents", package: "ModelStore"),
                .product(name: "ModelStoreEvents", package: "ModelStore"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], path: "Tests"),
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
