internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests for decisions on a disk that an app has filled, beside apps that store as much as they may.
///
/// The disk is a small file system in memory.
@Suite(.offPool, .enabled(if: geteuid() == 0, "skipped: only root mounts"))
struct FullDiskTests {
    private let scratch: Scratch
    private let now = Clocks.now()
    private static let victim = "com.example.Victim"

    init() throws {
        self.scratch = try Scratch()
    }

    /// Runs in a file system of eight mebibytes.
    private func withSmallDisk(_ body: (String) throws -> Void) throws {
        let place = self.scratch.path + "/disk"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        guard unsafe mount("none", place, "tmpfs", 0, "size=8m") == 0 else {
            return print("skipped: mount(2) is refused")
        }
        defer { unsafe umount(place) }
        try body(place)
    }

    /// Fills the disk completely.
    private func fillUp(_ place: String) {
        let file = unsafe open("\(place)/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let page = [UInt8](repeating: 1, count: 4096)
        while unsafe write(file, page, page.count) > 0 {}
        close(file)
    }

    /// A record of an app with the maximum number of conditions; their names are the longest possible, of control
    /// characters.
    private func app(_ bundle: String, _ decision: String, conditions: Int) -> [String: Any] {
        let isLargest = conditions == Policy().conditionsKeptMax
        func name(_ number: Int, _ bytes: Int) -> String {
            let digits = "\(number)"
            return isLargest ? digits + String(repeating: "\u{1}", count: bytes - digits.utf8.count) : digits
        }
        let beacon: [String: Any] = ["uuid": [UInt64.max, UInt64.max], "major": 65_535, "minor": 65_535]
        return [
            "bundle": bundle, "decision": decision, "accuracy": "fullForNow", "sessions": [2], "liveUpdates": [5],
            "backgroundSessions": 4_096, "liveActivities": ["a"], "hasTakenAlways": false, "hasLostAlways": false,
            "monitorsPushes": false, "travels": [0, 1],
            "conditions": (0..<conditions).map { number -> [String: Any] in
                [
                    "monitor": name(number, 100), "identifier": name(number, 255), "circle": [Int](), "beacon": beacon,
                    "notices": 7, "known": 1, "knownTime": Int64.max, "knownBeacon": beacon, "found": 2,
                    "foundTime": Int64.max, "foundBeacon": beacon, "isAbandoned": false, "isPlaced": false,
                ]
            },
            "heard": ["place": [Int32.min, Int32.min], "visit": Int64.min, "hasVisitEnded": false] as [String: Any],
        ]
    }

    /// The names of the maximum number of apps, each with the longest name.
    private static var otherApps: [String] {
        // 128 installed apps, 128 remembered ones, 64 of GeoClue, one for NMEA readers; a test adds two.
        (0..<319).map { "com.example.\($0).".padding(toLength: 155, withPad: "x", startingAt: 0) }
    }

    private func snapshot(
        _ apps: [[String: Any]],
        gone: [String] = [],
        sharing: [String] = [],
        pushes: Int = 0
    ) throws -> EngineSnapshot {
        let values: [String: Any] = [
            "version": EngineSnapshot.currentVersion, "servicesOn": true, "pushesRemaining": 120,
            "budgetExhausted": false, "refillMilliseconds": Int64.max, "apps": apps, "goneTopics": gone,
            "recentPushes": (0..<pushes).map { _ in [UInt64.max, UInt64.max] },
            "shares": sharing.map {
                ["bundle": $0, "owedMilliseconds": Int64.min, "isClosed": false] as [String: Any]
            },
        ]
        return try JSONDecoder().decode(
            EngineSnapshot.self,
            from: JSONSerialization.data(withJSONObject: values)
        )
    }

    private func store(_ place: String) throws -> SnapshotStore {
        var store = SnapshotStore(directory: place, seal: .ofTests)
        _ = try store.load(now: self.now)
        return store
    }

    private func loaded(_ place: String) throws -> EngineSnapshot {
        var store = SnapshotStore(directory: place, seal: .ofTests)
        return try #require(try store.load(now: self.now)).snapshot
    }

    /// Goal: a refusal is kept beside apps with the largest records; only these apps lose data, which they can declare
    /// again.
    @Test func theLargestAppsUndoNoRefusal() throws {
        try self.withSmallDisk { place in
            var store = try self.store(place)
            let most = Policy().conditionsKeptMax
            try store.save(self.snapshot([self.app(Self.victim, "always", conditions: 20)]), now: self.now)
            self.fillUp(place)
            let full = try self.snapshot([
                self.app("com.example.One", "always", conditions: most),
                self.app(Self.victim, "denied", conditions: 20),
                self.app("com.example.Two", "whenInUse", conditions: most),
            ])
            for _ in 1...3 {
                let error = #expect(throws: DaemonError.self) { try store.save(full, now: self.now) }
                #expect(error?.description.contains("decisions are saved") == true, "\(error?.description ?? "")")
                #expect(store.appsLeftOut.count == 2 && !store.appsLeftOut.contains(Self.victim))
                self.fillUp(place)
                let kept = try self.loaded(place).apps
                #expect(kept.map(\.decision) == [.always, .denied, .whenInUse])
                #expect(kept.map(\.conditions.count) == [0, 20, 0])
                #expect(kept.map(\.sessions) == [[], [2], []])
            }
            // When there is space again, everything is saved.
            unsafe unlink("\(place)/filler")
            try store.save(full, now: self.now)
            #expect(store.appsLeftOut == [])
            #expect(try self.loaded(place) == full)
        }
    }

    /// Goal: the decisions about the maximum number of apps fit the reserve, whatever else the apps store.
    @Test func decisionsAboutAllAppsFit() throws {
        try self.withSmallDisk { place in
            var store = try self.store(place)
            let names = Self.otherApps
            let few = Policy().conditionsKeptMax / 16
            self.fillUp(place)
            let full = try self.snapshot(
                names.map { self.app($0, "provisionalAlways", conditions: few) } + [
                    self.app("com.example.One", "denied", conditions: Policy().conditionsKeptMax),
                    self.app(Self.victim, "denied", conditions: 0),
                ],
                gone: Array(names.prefix(256)),
                sharing: names,
                pushes: 512
            )
            #expect(throws: DaemonError.self) { try store.save(full, now: self.now) }
            #expect(store.appsLeftOut.first == "com.example.One")
            #expect(store.appsLeftOut.count > 1)
            let kept = try self.loaded(place)
            #expect(kept.apps.map(\.bundle) == full.apps.map(\.bundle))
            #expect(kept.apps.map(\.decision) == full.apps.map(\.decision))
            #expect(kept.shares == full.shares && kept.goneTopics == full.goneTopics)
        }
    }

    /// Goal: an order whose decision is saved without the largest app's claims is reported as done, and the fault is
    /// shown.
    @Test(.timeLimit(.minutes(1))) func aDecisionSavedBesideALargeAppIsDone() async throws {
        let state = self.scratch.path + "/state"
        #expect(unsafe mkdir(state, 0o700) == 0)
        guard unsafe mount("none", state, "tmpfs", 0, "size=16m,mode=0700") == 0 else {
            return print("skipped: mount(2) is refused")
        }
        defer { unsafe umount2(state, 2) }  // MNT_DETACH
        let rig = try await DaemonRig(scratch: self.scratch)
        try rig.install()
        try self.addConditions(on: try await rig.connectApp(), rig)
        self.fillUp(state)
        let order = WireControlRequest.with {
            $0.settings.bundle = DaemonRig.bundle.rawValue
            $0.settings.location = .never
        }
        #expect(try rig.ask(order).failure.message == "")
        #expect(try rig.status.stateFault.contains("decisions are saved"))
        await rig.daemon.stop()
    }

    /// Adds the maximum number of conditions, with long names of control characters.
    private func addConditions(on app: PacketSocket, _ rig: DaemonRig) throws {
        try rig.declare(
            .with {
                $0.monitors = [
                    .with {
                        $0.id = 1
                        $0.name = String(repeating: "\u{1}", count: 100)
                    }
                ]
            },
            on: app
        )
        let most = UInt64(Policy().conditionsKeptMax)
        for number in 1...most {
            let change = WireClientMessage.with {
                $0.monitorChange.monitor = 1
                $0.monitorChange.number = number
                $0.monitorChange.add.identifier = "\(number)" + String(repeating: "\u{1}", count: 250)
                $0.monitorChange.add.circle.radius = 100_000
            }
            #expect(try app.send(try WireMessage.encode(change)) == .sent)
            var answer = WireDaemonMessage()
            while answer.monitorTaken.change != number {
                answer = try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: app))
            }
            #expect(!answer.monitorTaken.refused)
        }
    }
}
