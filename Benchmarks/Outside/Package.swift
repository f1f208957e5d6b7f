// swift-tools-version: 6.2
import PackageDescription

// A package of a developer who tests an app: the build benchmark builds it without caches.
let package = Package(
    name: "Workout",
    dependencies: [.package(name: "whereabouts", path: "../..", traits: [])],
    targets: [
        .target(name: "Workout", dependencies: [.product(name: "CoreLocation", package: "whereabouts")]),
        .testTarget(
            name: "WorkoutTests",
            dependencies: ["Workout", .product(name: "WhereaboutsLocationTesting", package: "whereabouts")]
        ),
    ]
)
