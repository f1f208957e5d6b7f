internal import Foundation

/// Release builds of programs: optimised, without assertions.
enum Shipping {
    /// Builds products; the first time with all dependencies.
    ///
    /// - Returns: the directory that they are in.
    static func build(_ products: [String]) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        let scratch = root + "/.build/shipping"
        for product in products {
            _ = try Cost.of(
                "swift",
                [
                    "build", "-c", "release", "--static-swift-stdlib", "--package-path", root, "--scratch-path",
                    scratch,
                    "--product", product,
                ]
            )
        }
        return scratch + "/release"
    }
}
