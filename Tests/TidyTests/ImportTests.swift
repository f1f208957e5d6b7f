internal import Foundation
internal import Testing

/// Which target may import what: the direction of the data, checked.
@Suite struct ImportTests {
    /// What a target must not import, and why.
    struct Ban: Sendable, CustomTestStringConvertible {
        let targets: [String]
        let modules: [String]
        let reason: String

        var testDescription: String { self.reason }
    }

    static let pure = ["Geodesy", "APNS", "PushEngine", "SharingEngine", "LocationEngine"]

    static let bans: [Ban] = [
        Ban(
            targets: Self.pure,
            modules: [
                "Foundation", "FoundationEssentials", "Glibc", "Dispatch", "Synchronization", "Logging", "NIOCore",
            ],
            reason: "a pure target has no clock, no randomness and no I/O: the simulator must reach every decision"
        ),
        Ban(
            targets: Self.pure,
            modules: ["LocationWire", "LocationWireMessages", "PushLink", "PushLinkMessages", "SwiftProtobuf"],
            reason: "an engine knows its own inputs and effects; the shells map them to a wire"
        ),
        Ban(
            targets: ["CoreLocation"],
            modules: ["LocationEngine", "LocationDaemon"],
            reason: "policy lives behind the wire, in the daemon or the virtual device"
        ),
        Ban(
            targets: ["CoreLocation"],
            modules: ["NIOCore", "NIOPosix", "AsyncHTTPClient"],
            reason: "an app that wants its location needs no event loop"
        ),
        Ban(
            targets: ["LocationTesting", "LocationHost"],
            modules: ["LocationDaemon", "NIOCore", "NIOPosix", "Logging"],
            reason: "the virtual device is a shell of its own, without sockets, processes and files"
        ),
        Ban(
            targets: ["LocationSources"],
            modules: ["NIOCore", "NIOPosix", "Dispatch", "Glibc"],
            reason: "sources turn bytes into fixes; the daemon owns the sockets"
        ),
        Ban(
            targets: ["Sharing", "SharingServer", "SharingEngine"],
            modules: ["LocationEngine", "CoreLocation"],
            reason: "sharing runs where there is no locationd, too"
        ),
    ]

    static func imports(in text: String) -> Set<String> {
        Set(
            text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
                guard let position = words.firstIndex(of: "import"), position <= 1, position + 1 < words.count,
                    position == 0 || ["internal", "public", "package", "private", "fileprivate"].contains(words[0])
                else { return nil }
                return String(words[position + 1])
            }
        )
    }

    @Test(arguments: Self.bans) func noTargetImportsWhatItMustNot(_ ban: Ban) throws {
        for target in ban.targets {
            for file in try SourceTree.files(in: ["Sources/\(target)"], ending: ".swift") {
                let found = Self.imports(in: file.text).intersection(ban.modules)
                #expect(found.isEmpty, "\(file.path) imports \(found.sorted()): \(ban.reason)")
            }
        }
    }

    @Test func theRuleSeesEveryFormOfImport() {
        let text = """
            import A
            internal import B
            @testable internal import C
            @_exported public import D
            // import E
            let text = "import F"
            """
        #expect(Self.imports(in: text) == ["A", "B", "C", "D"])
    }

    /// It depends on the order of the build whether it is true.
    @Test func nobodyAsksWhetherCoreLocationIsThere() throws {
        for file in try SourceTree.files(in: ["Sources", "Examples"], ending: ".swift") {
            #expect(!file.text.contains("canImport(CoreLocation)"), "\(file.path): import CoreLocation without asking")
        }
    }
}
