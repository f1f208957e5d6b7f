// swift-tools-version: 6.2
import PackageDescription

// A command with one common library: the build benchmark's measure of the machine.
let package = Package(
    name: "Reference",
    dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")],
    targets: [
        .executableTarget(
            name: "Reference",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]
        )
    ]
)
