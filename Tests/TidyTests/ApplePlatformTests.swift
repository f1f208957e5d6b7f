internal import Foundation
internal import Testing

extension PackageManifest.Target {
    /// Whether a file below the target's folder is one of its sources.
    fileprivate func compiles(_ path: String) -> Bool {
        guard path.hasPrefix(self.folder + "/") else { return false }
        let name = path.dropFirst(self.folder.count + 1)
        return self.sources?.contains { name == $0 || name.hasPrefix($0 + "/") } ?? true
    }
}

/// The targets that build on Apple's platforms.
///
/// We cannot build there, so the test reads their sources.
@Suite struct ApplePlatformTests {
    /// The modules that Apple's SDKs have.
    static let system: Set<String> = [
        "CoreLocation", "Darwin", "Dispatch", "Foundation", "Observation", "Swift", "Synchronization", "_Concurrency",
        "os",
    ]

    /// Words that exist only in Linux's headers or file systems.
    static let linux: Set<String> = [
        "CLOCK_BOOTTIME", "O_PATH", "O_TMPFILE", "SOCK_CLOEXEC", "accept4", "close_range", "epoll_create1", "eventfd",
        "fallocate",
        "getrandom", "gettid", "inotify_init1", "memfd_create", "pidfd_open", "pipe2", "prctl", "renameat2",
        "sendfile64", "signalfd",
        "splice", "statx", "syncfs", "timerfd_create",
    ]

    private static let read = Result {
        try PackageManifest(
            SwiftPackage.run(["dump-package"], in: SourceTree.root, environment: ["WHEREABOUTS_APPLE": "1"])
        )
    }

    /// The lines of a file that Apple's compiler sees, each with its number from 1.
    static func visible(_ file: SourceTree.File) -> [(number: Int, text: Substring)] {
        // The branches around a line: whether it is Linux's, and whether the one after `#else` is.
        var branches: [(isLinux: Bool, isOtherLinux: Bool)] = []
        return file.code.filter { line in
            let text = line.text.drop { $0 == " " }
            if text.hasPrefix("#if canImport(Darwin)") {
                branches.append((false, true))
            } else if text.hasPrefix("#if ") {
                let asks = text.contains(
                    /canImport\((Glibc|Musl|FoundationEssentials|FoundationNetworking)\)|os\(Linux\)/
                )
                let isNegated = text.contains("!")
                branches.append((asks && !isNegated, asks && isNegated))
            } else if text.hasPrefix("#else"), let branch = branches.popLast() {
                branches.append((branch.isOtherLinux, false))
            } else if text.hasPrefix("#endif") {
                _ = branches.popLast()
            } else {
                return !branches.contains { $0.isLinux }
            }
            return false
        }
    }

    /// The imports and words of a file that Apple's compiler would reject.
    static func complaints(_ file: SourceTree.File, modules: Set<String>) -> [String] {
        Self.visible(file).flatMap { line -> [String] in
            let imports = ImportTests.imports(in: String(line.text)).filter { !modules.contains($0) }
            let words = line.text.matches(of: /[A-Za-z_][A-Za-z0-9_]*/).map { String($0.output) }
            let known = words.filter(Self.linux.contains)
            let paths = line.text.contains("\"/proc/") || line.text.contains("\"/sys/") ? ["/proc or /sys"] : []
            return (imports + known + paths).map { "\(file.path):\(line.number): \($0)" }
        }
    }

    @Test func noTargetIsNamedAsAppleNamesItsOwn() throws {
        let modules = try Self.read.get().targets.map(\.module)
        #expect(modules.filter { !$0.hasPrefix(PackageManifest.prefix) } == [])
        #expect(
            ["Sharing", "SharingURLSession", "APNSClient", "LocationTesting"].allSatisfy {
                modules.contains(PackageManifest.prefix + $0)
            }
        )
    }

    @Test func noSourceNeedsLinux() throws {
        let manifest = try Self.read.get()
        // A line of the table of packages: owner/name, version, traits, a colon, products.
        let packages = try SourceTree.file("Package.swift").text.matches(
            of: #/\n    [\w.-]+\/[\w.-]+ \d[^:\n]*: ([^\n]+)/#
        )
        .flatMap { $0.output.1.split(separator: " ").map(String.init) }
        #expect(packages.count > 15)
        let modules = Self.system.union(manifest.targets.map(\.module)).union(packages)
        let files = try SourceTree.files(in: ["Sources"], ending: ".swift").filter { file in
            manifest.targets.contains { $0.compiles(file.path) }
        }
        #expect(files.count > 200)
        let complaints = files.flatMap { Self.complaints($0, modules: modules) }
        #expect(complaints.isEmpty, "not on Apple's platforms: \(complaints.joined(separator: "\n"))")
    }

    /// The types that a file declares at its top level.
    static func types(in file: SourceTree.File) -> Set<String> {
        let pattern =
            /(?:(?:public|package|internal|open|final|indirect|@\w+) )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
        return Set(file.code.compactMap { line in line.text.prefixMatch(of: pattern).map { String($0.output.1) } })
    }

    /// A target of which Apple's platforms build some files: these may not use types of the others.
    @Test func noSourceNeedsATypeThatIsLeftOut() throws {
        let parts = try Self.read.get().targets.filter { $0.sources != nil }
        #expect(Set(parts.map(\.name)).isSuperset(of: ["LocationTesting", "NetworkSupport"]))
        for target in parts {
            let all = try SourceTree.files(in: [target.folder], ending: ".swift")
            let kept = all.filter { target.compiles($0.path) }
            let own = kept.reduce(into: Set<String>()) { $0.formUnion(Self.types(in: $1)) }
            let others = all.reduce(into: Set<String>()) { $0.formUnion(Self.types(in: $1)) }.subtracting(own)
            #expect(!kept.isEmpty && !own.isEmpty && !others.isEmpty, "\(target.name)")
            for file in kept {
                let words = Set(file.code.flatMap { $0.text.matches(of: /[A-Za-z_]\w*/).map { String($0.output) } })
                let missing = words.intersection(others).sorted()
                #expect(missing.isEmpty, "\(file.path) needs \(missing), which Apple's platforms do not build")
            }
        }
    }

    @Test func theTypesOfAFileAreFound() {
        let lines = [
            "public struct A {", "    struct B {}", "}", "@frozen public enum C {}", "// class D", "extension E {}",
            "private actor F {}",
        ]
        #expect(Self.types(in: SourceTree.File(path: "A.swift", text: lines.joined(separator: "\n"))) == ["A", "C"])
    }

    @Test(arguments: [
        "internal import Glibc", "internal import WhereaboutsCLinux", "internal import FoundationNetworking",
        "let a = epoll_create1(0)",
        "open(path, O_TMPFILE)", "let path = \"/proc/self\"", "#if canImport(Darwin)\ninternal import Glibc\n#endif",
        "#if os(Linux)\n#else\ninternal import Glibc\n#endif",
    ])
    func eachOfTheseIsFound(_ text: String) {
        let file = SourceTree.File(path: "A.swift", text: text)
        #expect(Self.complaints(file, modules: Self.system).count == 1)
    }

    @Test(arguments: [
        "internal import Darwin", "#if canImport(Glibc)\ninternal import Glibc\n#else\ninternal import Darwin\n#endif",
        "#if canImport(FoundationNetworking)\ninternal import FoundationNetworking\n#endif", "// epoll_create1",
        "#if !os(Linux)\ninternal import Darwin\n#else\ninternal import Glibc\n#endif",
    ])
    func theseAreLetBe(_ text: String) {
        let file = SourceTree.File(path: "A.swift", text: text)
        #expect(Self.complaints(file, modules: Self.system).isEmpty)
    }
}
