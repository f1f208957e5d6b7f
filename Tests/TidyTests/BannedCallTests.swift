internal import Foundation
internal import Testing

/// Tests for calls that have a better replacement, which the message names.
@Suite struct BannedCallTests {
    /// A text that must not occur in code.
    struct Ban: Sendable, CustomTestStringConvertible {
        let text: String
        let replacement: String
        let folders: [String]
        /// The files that may contain it, each with its reason.
        var allowed: [String: String] = [:]

        var testDescription: String { self.text }
    }

    static let bans: [Ban] = [
        Ban(
            text: ".random" + "Element()",
            replacement: ".randomElement(using:)",
            folders: ["Sources", "Tools", "Tests"]
        ),
        Ban(
            text: ".sleep" + "(",
            replacement: "an event with a deadline",
            folders: ["Tests"],
            allowed: [
                "AnyDeviceTests.swift": "an app on a virtual device, whose time is virtual",
                "CompanionTests.swift": "apps and a server in virtual time",
                "Courier.swift": "an app on a virtual device, whose time is virtual",
                "DeviceLifeTests.swift": "an app on a virtual device, whose time is virtual",
                "KernelTests.swift": "sleeps of virtual time are its subject",
                "FriendFinder.swift": "an app on a virtual device, whose time is virtual",
                "Programs.swift": "an app on a virtual device, whose time is virtual",
                "Hangs.swift": "apps on a virtual device, which must not be stopped by them",
                "MisuseTests.swift": "an app on a virtual device, whose time is virtual",
                "PushMistakeTests.swift": "apps on a virtual device, whose time is virtual",
                "NetworkTests.swift": "a server in virtual time",
                "ShopReminder.swift": "an app on a virtual device, whose time is virtual",
                "SharingPrograms.swift": "an app on a virtual device, whose time is virtual",
            ]
        ),
        Ban(
            text: "JSON" + "Decoder()",
            replacement: "JSONReader, which others' nesting does not end",
            folders: ["Sources", "Tools"],
            allowed: ["JSONReader.swift": "it is what makes it safe"]
        ),
        Ban(text: "u" + "sleep(", replacement: "an event with a deadline", folders: ["Tests"]),
        Ban(text: "nano" + "sleep(", replacement: "an event with a deadline", folders: ["Tests"]),
        Ban(text: " sle" + "ep(", replacement: "an event with a deadline", folders: ["Tests"]),
        Ban(
            text: "async" + "After",
            replacement: "an event with a deadline",
            folders: ["Tests"],
            allowed: [
                "KernelTests.swift": "timers of virtual time are its subject",
                "Threads.swift": "an app on a virtual device, whose time is virtual",
                "KilledDaemonTests.swift": "the instant of the kill is drawn from a seed: it is what is tested",
            ]
        ),
        Ban(
            text: "poll(" + "nil",
            replacement: "an event with a deadline",
            folders: ["Tests"],
            allowed: ["Waiting.swift": "other processes and their files announce nothing; each wait ends"]
        ),
        Ban(
            text: "Task" + ".yield()",
            replacement: "Bell, or another wait for an event",
            folders: ["Tests"],
            allowed: [
                "KernelTests.swift": "the order of yields in virtual time is its subject",
                "DeviceTests.swift": "an app that never waits; the device ends it",
                "MailboxTests.swift": "one chance for tasks to begin to wait; every order passes",
                "UnhappyTests.swift": "each turn reads the store, which announces nothing",
            ]
        ),
        Ban(
            text: "Thread" + ".sleep",
            replacement: "a timer",
            folders: ["Sources", "Tools"],
            allowed: [
                "Misuse.swift": "it is named to people who call it",
                "SocketTransport.swift": "the reader is a plain thread between two attempts to connect",
                "Watchdog.swift": "it is a plain thread, which looks once a second",
            ]
        ),
        Ban(
            text: "FIX" + "ME",
            replacement: "the fix, or an issue",
            folders: ["Sources", "Tools", "Tests", "Examples"]
        ),
        Ban(
            text: "TO" + "DO",
            replacement: "the work, or an issue",
            folders: ["Sources", "Tools", "Tests", "Examples"]
        ),
        Ban(
            text: "@_spi(Experimental" + "CustomExecutors)",
            replacement: "the one file that knows the executor interface (ADR 0026)",
            folders: ["Sources", "Tools", "Tests", "Examples"],
            allowed: ["VirtualExecutors.swift": "it is that file"]
        ),
        Ban(
            text: "swift_" + "job_run",
            replacement: "the one file that knows the executor interface (ADR 0026)",
            folders: ["Sources", "Tools", "Tests", "Examples"],
            allowed: ["VirtualExecutors.swift": "it is that file"]
        ),
        Ban(
            text: "@unchecked " + "Sendable",
            replacement: "Mutex, or an entry here",
            folders: ["Sources", "Tools"],
            allowed: [
                "CLBeaconIdentityConstraint.swift": "open as Apple's, with immutable stored properties only",
                "CLLocation.swift": "open as Apple's, with immutable stored properties only",
                "CLPlacemark.swift": "open as Apple's, with immutable stored properties only",
                "SanitizedMutex.swift": "it is a lock",
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

    /// An unused exception would hide the next such call, so unused ones must be removed.
    static func unneeded(_ ban: Ban, in files: [SourceTree.File]) -> [String] {
        ban.allowed.keys.filter { name in
            let bare = Ban(text: ban.text, replacement: "", folders: [])
            return Self.violations(of: bare, in: files.filter { $0.name == name }).isEmpty
        }.sorted()
    }

    @Test(arguments: Self.bans) func everyAllowanceIsNeeded(_ ban: Ban) throws {
        let unneeded = Self.unneeded(ban, in: try SourceTree.files(in: ban.folders, ending: ".swift"))
        #expect(unneeded.isEmpty, "no \(ban.text) stands there any more; take out \(unneeded)")
    }

    @Test func anAllowanceThatNobodyNeedsIsFound() {
        let ban = Ban(text: "nap()", replacement: "", folders: [], allowed: ["A.swift": "", "B.swift": ""])
        let files = ["A.swift": "nap()", "B.swift": "// nap()"].map { SourceTree.File(path: $0.key, text: $0.value) }
        #expect(Self.violations(of: ban, in: files).isEmpty)
        #expect(Self.unneeded(ban, in: files) == ["B.swift"])
    }

    @Test func theRuleFindsCodeAndLetsCommentsBe() {
        let ban = Ban(text: "Date.now", replacement: "the parameter", folders: [])
        let file = SourceTree.File(path: "A.swift", text: "// Date.now\nlet a = Date.now\n")
        #expect(Self.violations(of: ban, in: [file]) == ["A.swift:2"])
    }
}
