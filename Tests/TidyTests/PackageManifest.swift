internal import Foundation

/// The targets and dependencies of `Package.swift`, read as text: the tests need names and folders, nothing else.
struct PackageManifest {
    /// A target and the folder of its sources.
    struct Target: Hashable {
        let name: String
        let folder: String
    }

    let targets: [Target]
    /// The lines that name a package to fetch.
    let dependencies: [Substring]

    init(_ text: String) {
        let declared = text.split(separator: "// MARK: Pure", maxSplits: 1).last ?? ""
        let pattern = /\.(target|executableTarget|testTarget)\(\s*name: "([A-Za-z0-9_-]+)"/
        let starts = declared.matches(of: pattern)
        self.targets = starts.enumerated().map { index, start in
            let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : declared.endIndex
            let body = declared[start.range.upperBound..<end]
            let name = String(start.output.2)
            let path = body.firstMatch(of: /\n?\s*path: "([^"]+)"/).map { String($0.output.1) }
            return Target(name: name, folder: path ?? (start.output.1 == "testTarget" ? "Tests/" : "Sources/") + name)
        }
        self.dependencies = text.split(separator: "\n").filter { $0.contains(".package(url:") }
    }

    /// The manifest of this repository.
    static func ours() throws -> PackageManifest {
        PackageManifest(
            try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        )
    }

    /// The target that a file belongs to: the one with the longest folder above it.
    func target(of path: String) -> Target? {
        self.targets.filter { path.hasPrefix($0.folder + "/") }.max { $0.folder.count < $1.folder.count }
    }
}
