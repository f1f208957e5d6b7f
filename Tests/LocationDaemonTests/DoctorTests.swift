internal import Foundation
internal import Glibc
internal import Rig
internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests for the doctor's findings about invented devices, and for `locationctl doctor` on a real one.
@Suite(.offPool, .timeLimit(.minutes(1))) struct DoctorTests {
    private static let gpsd = DaemonConfiguration.Source.gpsd(host: "localhost", port: 2947)

    /// A device without faults.
    private static let well = DeviceFacts(
        areServicesOn: true,
        sources: [.init(source: Self.gpsd, condition: .delivering)],
        gateway: "push.example.org:5223",
        gatewayState: .connected,
        appsWithPushes: 1,
        brokenApps: [],
        agents: 1,
        isAsking: false,
        state: .init(path: "/state", bytesFree: 1 << 30, isInMemory: false, isSealedByCredential: true),
        nmeaSocket: nil,
        isRoot: false,
        appUsers: nil,
        appsReachGPSD: nil,
        polkit: .unused,
        supervision: .user("ada", lingers: true),
        hasCgroups: true,
        isClockKept: true
    )

    /// The findings other than `fine`, as `severity subject: words`.
    private static func ailments(_ change: (inout DeviceFacts) -> Void) -> [String] {
        var facts = self.well
        change(&facts)
        return Diagnosis.findings(facts).filter { $0.severity != .fine }.map { finding in
            #expect(finding.remedy?.isEmpty == false, "\(finding.words): without a remedy")
            return "\(finding.severity) \(finding.subject): \(finding.words)"
        }
    }

    /// The finding about every device whose apps have no users of their own.
    private static let common =
        "note apps: run as this user: they are not kept from each other's files, nor from gpsd's port"

    @Test func aDeviceThatLacksNothingIsFine() {
        #expect(Self.ailments { _ in } == [Self.common])
        #expect(Diagnosis.findings(Self.well).allSatisfy { $0.severity != .fine || $0.remedy == nil })
    }

    /// A change to a device without faults, and the finding that it causes.
    struct Ailment: Sendable, CustomTestStringConvertible {
        let words: String
        let change: @Sendable (inout DeviceFacts) -> Void
        var testDescription: String { self.words }

        init(_ words: String, _ change: @escaping @Sendable (inout DeviceFacts) -> Void) {
            (self.words, self.change) = (words, change)
        }
    }

    @Test(arguments: [
        Ailment("note Location Services: off") { $0.areServicesOn = false },
        Ailment("trouble gpsd at localhost:2947: refused") { $0.sources[0].condition = .unreachable("refused") },
        Ailment("trouble gpsd at localhost:2947: gpsd has no receiver") { $0.sources[0].condition = .noReceiver },
        Ailment("trouble gpsd at localhost:2947: connected, but silent") { $0.sources[0].condition = .silent },
        Ailment("note gpsd at localhost:2947: searching") { $0.sources[0].condition = .searching },
        Ailment("note gpsd at localhost:2947: off: it was not tried") { $0.sources[0].condition = .off },
        Ailment("trouble location pushes: none arrive") { $0.gateway = nil },
        Ailment("note location pushes: push.example.org:5223: connecting") { $0.gatewayState = .connecting },
        Ailment("trouble location pushes: push.example.org:5223: not connected: not trusted") {
            $0.gatewayState = .away("not trusted")
        },
        Ailment("trouble com.example.Torn: not served: torn") {
            $0.brokenApps = [.init(bundle: "com.example.Torn", reason: "torn")]
        },
        Ailment("trouble com.example.Friends: stopped sharing the location: it lost its session") {
            $0.silentApps = [.init(bundle: "com.example.Friends", check: .session, needsOpening: true, remedy: "open")]
        },
        Ailment("note com.example.Friends: does not share the location: it has no session") {
            $0.silentApps = [.init(bundle: "com.example.Friends", check: .session, needsOpening: false, remedy: "open")]
        },
        Ailment("note com.example.Friends: does not share the location: the person has not allowed Always") {
            $0.silentApps = [
                .init(bundle: "com.example.Friends", check: .authorized, needsOpening: false, remedy: "allow")
            ]
        },
        Ailment("trouble com.example.Friends: answers no location pushes: its extension keeps failing") {
            $0.silentApps = [.init(bundle: "com.example.Friends", check: .steady, needsOpening: false, remedy: "look")]
        },
        Ailment("note people: no agent would show") { $0.agents = 0 },
        Ailment("trouble people: an app's prompt waits") { ($0.agents, $0.isAsking) = (0, true) },
        Ailment("trouble state: not saved: the disk is full") { $0.state.unsavedReason = "the disk is full" },
        Ailment("trouble state: /state is in memory") { $0.state.isInMemory = true },
        Ailment("trouble state: /state may be written by others (mode 777)") {
            $0.state.fault = OwnDirectory.fault(of: "/state", owner: 1000, mode: 0o040777, user: 1000)
        },
        Ailment("trouble sockets: /run/x may be written by others (mode 777)") {
            $0.runtimeFault = OwnDirectory.fault(of: "/run/x", owner: 0, mode: 0o040777, user: 1000, for: .runtime)
        },
        Ailment("trouble state: 63 MiB are free") { $0.state.bytesFree = (64 << 20) - 1 },
        Ailment("trouble state: hardly another file can be created at /state") { $0.state.isShortOfFiles = true },
        Ailment("trouble log: the log of who received a position cannot be written: full") { $0.logFault = "full" },
        Ailment("note keys: in files") { $0.state.isSealedByCredential = false },
        Ailment("trouble apps: run as root") { $0.isRoot = true },
        Ailment("trouble apps: 2 of the installed apps could not start, because no user of 70000 to 70127 is free") {
            ($0.isRoot, $0.appUsers, $0.appsWithoutUser) = (true, 70_000...70_127, 2)
        },
        Ailment("trouble apps: read positions from gpsd's shared memory") {
            ($0.isRoot, $0.appUsers, $0.appsReadGPSDMemory) = (true, 70_000...70_127, true)
        },
        Ailment("trouble apps: could not be checked: gpsd's port and gpsd's memory could not be tried as user 70127") {
            ($0.isRoot, $0.appUsers, $0.appsReachGPSD) = (true, 70_000...70_127, nil)
            $0.untriedWays = ["gpsd's port", "gpsd's memory"]
        },
        Ailment("trouble service: an older locationd than the installed one runs") { $0.isReplaced = true },
        Ailment("trouble apps: can read positions from gpsd directly") {
            ($0.isRoot, $0.appUsers, $0.appsReachGPSD) = (true, 70_000...70_127, true)
        },
        Ailment(
            "trouble owners: polkit has not answered since 2026-05-17T09:00:00Z: no pkcheck. Meanwhile all but root and the group of "
                + "--owners are refused, also the person at the seat: 3 so far"
        ) {
            let since = WallTime(microseconds: 1_779_008_400_000_000)
            $0.polkit = .fails(.init(cause: "no pkcheck", remedy: "apt-get install polkitd", since: since, refused: 3))
        },
        Ailment("trouble readers of NMEA: /nmea: its file is gone") {
            $0.nmeaSocket = .init(path: "/nmea", fault: "its file is gone", readers: 1, isDenied: true, isPrecise: true)
        },
        Ailment("note readers of NMEA: /nmea: 2 programs read and get no position") {
            $0.nmeaSocket = .init(path: "/nmea", readers: 2, isDenied: true, isPrecise: true)
        },
        Ailment("note owners: polkit has not answered") { $0.polkit = .untried },
        Ailment("note freezing: by signals") { $0.hasCgroups = false },
        Ailment("note service: ends with") { $0.supervision = .user("ada", lingers: false) },
        Ailment("note service: none") { $0.supervision = .none },
        Ailment("note clock: not synchronized") { $0.isClockKept = false },
    ])
    func eachAilmentIsFound(_ ailment: Ailment) {
        let ailments = Self.ailments(ailment.change).filter { $0 != Self.common }
        #expect(ailments.count == 1 && ailments[0].hasPrefix(ailment.words), "\(ailments)")
    }

    /// Goal: the firewall command contains the users and the gpsd port of this locationd.
    @Test func theFirewallIsForTheseUsers() throws {
        func remedy(_ users: ClosedRange<UInt32>, _ port: Int) -> String? {
            var facts = Self.well
            (facts.appUsers, facts.appsReachGPSD) = (users, true)
            facts.sources[0].source = .gpsd(host: "::1", port: port)
            return Diagnosis.findings(facts).first { $0.subject == "apps" }?.remedy
        }
        #expect(remedy(70_000...70_127, 2947) == "nft -f /usr/lib/whereabouts/apps.nft")
        #expect(remedy(70_000...70_007, 2947) == "nft -f /usr/lib/whereabouts/apps.nft")
        let other = try #require(remedy(80_000...80_127, 2948))
        let command = "sed 's/70000-70127/80000-80127/; s/2947/{ 2948 }/' /usr/lib/whereabouts/apps.nft | nft -f -"
        #expect(other.hasPrefix(command))
        #expect(try #require(remedy(70_000...70_127, 2948)).hasPrefix("sed "))
        // The packaged rules contain each replaced word once.
        let rule = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "packaging/locationd/apps.nft")
        let text = try String(contentsOf: rule, encoding: .utf8)
        #expect(text.ranges(of: "70000-70127").count == 1 && text.ranges(of: "2947").count == 1)
    }

    /// Goal: a source that is paused because a better one delivers is fine.
    @Test func aSpareSourceMayBeOff() {
        let spare = DeviceFacts.Source(source: .program(path: "/bus"), condition: .off)
        #expect(Self.ailments { $0.sources.append(spare) } == [Self.common])
        #expect(Self.ailments { $0.sources.insert(spare, at: 0) }.count == 2)
    }

    /// Goal: apps with users of their own are fine, unless they can reach gpsd without locationd.
    @Test func appsWithUsersOfTheirOwnAreFine() {
        #expect(Self.ailments { ($0.isRoot, $0.appUsers, $0.appsReachGPSD) = (true, 70_000...70_127, false) } == [])
        let ailments = Self.ailments { ($0.isRoot, $0.appUsers, $0.appsReachGPSD) = (true, 70_000...70_127, true) }
        #expect(ailments == ["trouble apps: can read positions from gpsd directly, without anyone's permission"])
    }

    @Test func readersOfNMEAAreCounted() {
        func words(_ readers: Int, isDenied: Bool = false, isPrecise: Bool = true) -> String? {
            var facts = Self.well
            facts.nmeaSocket = .init(path: "/nmea", readers: readers, isDenied: isDenied, isPrecise: isPrecise)
            return Diagnosis.findings(facts).first { $0.subject == "readers of NMEA" && $0.severity == .fine }?.words
        }
        #expect(words(0) == "/nmea: nobody reads" && words(0, isDenied: true) == "/nmea: nobody reads")
        #expect(words(1) == "/nmea: 1 program reads, precisely")
        #expect(words(8, isPrecise: false) == "/nmea: 8 programs read, approximately")
    }

    @Test func nothingIsSaidOfAClockThatNobodyKnows() {
        #expect(Self.ailments { $0.isClockKept = nil } == [Self.common])
    }

    /// Goal: the doctor examines the real device: it runs the receiver to see whether it answers, and its exit code
    /// gives the verdict.
    @Test func aRealDeviceIsLookedAt() throws {
        let scratch = try Scratch()
        let binaries = try Binaries()
        func locationctl(_ arguments: String...) throws -> (status: Int32, output: String) {
            let child = try Child(
                "locationctl",
                binaries.path("locationctl"),
                arguments,
                environment: ["LOCATIOND_RUNTIME": scratch.path + "/run"],
                log: scratch.path + "/errors.log"
            )
            let ended = try child.waitForEnd(within: 30)
            return (ended.status, ended.output)
        }
        #expect(try locationctl("doctor").status == 1)
        let errors = try String(contentsOfFile: scratch.path + "/errors.log", encoding: .utf8)
        #expect(errors.contains("is locationd running?"))
        let unreached = try locationctl("doctor", "--json")
        #expect(unreached.status == 1 && unreached.output.contains(#""subject":"locationd""#), "\(unreached.output)")
        let locationd = try scratch.startLocationd(["--gpsd", scratch.path + "/gpsd.sock"])
        defer { locationd.terminate() }
        let said = try locationctl("doctor")
        #expect(said.status == 1 && said.output.contains("trouble  gpsd at \(scratch.path)/gpsd"), "\(said.output)")
        #expect(said.output.contains("→ apt-get install gpsd"), "\(said.output)")
        #expect(!said.output.contains("\u{1B}"))
        let log = try locationctl("log")
        #expect(!log.output.contains("record"), "nobody recorded anything: \(log.output)")
        let json = try JSONSerialization.jsonObject(with: Data(locationctl("doctor", "--json").output.utf8))
        let findings = try #require((json as? [String: Any])?["findings"] as? [[String: String]])
        #expect(findings.contains { $0["severity"] == "NOTE" && $0["subject"] == "freezing" && $0["remedy"] != nil })
    }

    /// Goal: a doctor that cannot become an app's user says so, and its exit code is not success.
    @Test(.enabled(if: geteuid() == 0 && Binaries.system("setpriv") != nil, "skipped: needs root and setpriv"))
    func aCheckThatCannotBeMadeIsTrouble() throws {
        let scratch = try Scratch()
        try #require(unsafe chmod(scratch.path, 0o755) == 0)
        let binaries = try Binaries()
        let locationd = try Child(
            "locationd",
            Binaries.system("setpriv") ?? "",
            [
                "--bounding-set=-setuid,-setgid", binaries.path("locationd"), "--state", scratch.path + "/state",
                "--runtime", scratch.path + "/run", "--cgroup", "none", "--gpsd", "127.0.0.1:\(Loopback.freePort())",
                "--app-users", "74300-74307",
            ],
            log: scratch.path + "/locationd.log"
        )
        _ = try locationd.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        defer { locationd.terminate() }
        let doctor = try Child(
            "locationctl",
            binaries.path("locationctl"),
            ["doctor"],
            environment: ["LOCATIOND_RUNTIME": scratch.path + "/run"],
            log: scratch.path + "/errors.log"
        )
        let said = try doctor.waitForEnd(within: 30)
        #expect(said.status == 1)
        let line = said.output.split(separator: "\n").first { $0.contains("gpsd's port and gpsd's memory") }
        #expect(line?.hasPrefix("trouble  apps") == true, "\(said.output)")
    }

    /// Goal: the receiver is switched off when it is no longer needed; the diagnosis is requested before that.
    @Test func aPortThatNobodyListensAtIsNamed() throws {
        let scratch = try Scratch()
        let binaries = try Binaries()
        let port = try Loopback.freePort()
        let locationd = try scratch.startLocationd(["--gpsd", "127.0.0.1:\(port)"])
        defer { locationd.terminate() }
        let doctor = try Child(
            "locationctl",
            binaries.path("locationctl"),
            ["doctor"],
            environment: ["LOCATIOND_RUNTIME": scratch.path + "/run"],
            log: scratch.path + "/errors.log"
        )
        let output = try doctor.waitForEnd(within: 30).output
        #expect(output.contains("trouble  gpsd at 127.0.0.1:\(port)"), "\(output)")
    }
}
