internal import Foundation
internal import Testing

/// Calls that have a better replacement; the message is the remedy.
@Suite struct BannedCallTests {
    /// A text that must not stand in code.
    struct Ban: Sendable, CustomTestStringConvertible {
        let text: String
        let replacement: String
        let folders: [String]
        /// The files that may, each with its reason.
        var allowed: [String: String] = [:]

        var testDescription: String { self.text }
    }

    static let bans: [Ban] = [
        Ban(text: ".random" + "Element()", replacement: ".randomElement(using:)", folders: ["Sources", "Tests"]),
        Ban(text: "Task" + ".sleep", replacement: "an event with a deadline", folders: ["Tests"]),
        Ban(text: "Thread" + ".sleep", replacement: "an event with a deadline", folders: ["Tests"]),
        Ban(
            text: "Thread" + ".sleep",
            replacement: "a timer",
            folders: ["Sources"],
            allowed: ["SocketTransport.swift": "the reader is a plain thread between two attempts to connect"]
        ),
        Ban(text: "FIX" + "ME", replacement: "the fix, or an issue", folders: ["Sources", "Tests", "Examples"]),
        Ban(text: "TO" + "DO", replacement: "the work, or an issue", folders: ["Sources", "Tests", "Examples"]),
        Ban(
            text: "@unchecked " + "Sendable",
            replacement: "Mutex, or an entry here",
            folders: ["Sources"],
            allowed: [
                "CLLocation.swift": "open as Apple's, with immutable stored properties only",
                "CLPlacemark.swift": "open as Apple's, with immutable stored properties only",
            ]
        ),
    ]

    static func violations(of ban: Ban, in files: [SourceTree.File]) -> [String] {
        files.filter { ban.allowed[$0.name] == nil }.flatMap { file in
            file.lines.enumerated().compactMap { number, line in
                let isComment = line.drop { $0 == " " }.hasPrefix("//")
                return !isComment && line.contains(ban.text) ? "\(file.path):\(number + 1)" : nil
            }
        }
    }

    @Test(arguments: Self.bans) func noBannedCallStands(_ ban: Ban) throws {
        let found = Self.violations(of: ban, in: try SourceTree.files(in: ban.folders, ending: ".swift"))
        #expect(found.isEmpty, "use \(ban.replacement) instead of \(ban.text): \(found.joined(separator: ", "))")
    }

    @Test func theRuleFindsCodeAndLetsCommentsBe() {
        let ban = Ban(text: "Date.now", replacement: "the parameter", folders: [])
        let file = SourceTree.File(path: "A.swift", text: "// Date.now\nlet a = Date.now\n")
        #expect(Self.violations(of: ban, in: [file]) == ["A.swift:2"])
    }

    @Test func filesStaySmall() throws {
        for file in try SourceTree.files(in: ["Sources", "Tests", "Examples", "Benchmarks"], ending: ".swift") {
            #expect(
                file.lines.count <= 600,
                "\(file.path) has \(file.lines.count) lines; is there a second thing inside?"
            )
        }
    }
}
