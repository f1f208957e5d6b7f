internal import Foundation
internal import Rig

/// Programs built as they ship: optimised, without assertions.
enum Shipping {
    /// Builds products; all of the dependencies, too, the first time.
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
