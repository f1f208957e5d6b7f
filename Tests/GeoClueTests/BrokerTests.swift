internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsGeoClue

/// Tests for GeoClue's decisions: programs are kept apart, limited, and given only what they may know.
@Suite struct BrokerTests {
    private static let maps = ProcessFacts(
        flatpakInfo: "[Application]\nname=org.gnome.Maps\n",
        executable: "/app/bin/maps"
    )
    private static let python = ProcessFacts(executable: "/usr/bin/python3")

    /// A broker and the programs that call it.
    private struct Bus {
        var broker = Broker(user: 1000)
        private var nextCall: UInt64 = 0

        func at(_ seconds: Int64) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

        mutating func call(
            _ method: BusCall.Method,
            on path: String = "/org/freedesktop/GeoClue2/Manager",
            from name: String = ":1.1",
            user: UInt32 = 1000
        ) -> [Broker.Effect] {
            self.nextCall += 1
            let peer = BusPeer(name: name, user: user)
            return self.broker.called(BusCall(CallID(self.nextCall), from: peer, on: path, method), now: self.at(0))
        }

        /// The answer of a call.
        mutating func answer(
            _ method: BusCall.Method,
            on path: String = "/org/freedesktop/GeoClue2/Manager",
            from name: String = ":1.1",
            user: UInt32 = 1000
        ) -> BusAnswer? {
            self.call(method, on: path, from: name, user: user).lazy.compactMap { effect in
                if case .answer(_, let answer) = effect { answer } else { nil }
            }.first
        }

        mutating func client(of name: String = ":1.1") throws -> String {
            guard case .path(let path)? = self.answer(.createClient, from: name) else { throw NoClient() }
            return path
        }

        mutating func value(_ property: String, on path: String, from name: String = ":1.1") -> BusValue? {
            let interface = GeoClueInterface.client
            guard
                case .value(let value)? = self.answer(
                    .get(interface: interface, property: property),
                    on: path,
                    from: name
                )
            else { return nil }
            return value
        }

        /// locationd reports its apps; people have decided about all of them.
        mutating func see(_ bundles: [String]) {
            let effects = self.broker.appsSeen(bundles.map { InstalledApp(bundle: $0, isDecided: true) })
            #expect(effects == [])
        }

        mutating func set(
            _ property: String,
            _ value: BusValue,
            on path: String,
            from name: String = ":1.1"
        ) -> [Broker.Effect] {
            self.call(.set(interface: GeoClueInterface.client, property: property, value), on: path, from: name)
        }
    }

    private struct NoClient: Error {}

    private let number = ClientNumber(1)
    private let here = Position(latitude: 53.5, longitude: 10, accuracy: 5, speed: 1, time: 1_700_000_000_250_000)

    /// All parts of a refusal.
    private func refusal(_ answer: BusAnswer?) -> String? {
        guard case .refused(let refusal)? = answer else { return nil }
        return refusal.name.split(separator: ".").last.map(String.init)
    }

    /// A client that is served.
    private func served(_ bus: inout Bus) throws -> String {
        let client = try bus.client()
        _ = bus.set("RequestedAccuracyLevel", .number(8), on: client)
        #expect(bus.call(.start(Self.maps), on: client).count == 1)
        let effects = bus.broker.permissionChanged(.granted, of: self.number, now: bus.at(0))
        #expect(effects.first == .declare(self.number, .init(distanceFilter: -1, needsFullAccuracy: true)))
        return client
    }

    @Test func aProgramHasOneClientUnlessItWantsMore() throws {
        var bus = Bus()
        let first = bus.answer(.getClient)
        #expect(first == .path("/org/freedesktop/GeoClue2/Client/1") && bus.answer(.getClient) == first)
        #expect(bus.answer(.createClient) == .path("/org/freedesktop/GeoClue2/Client/2"))
        #expect(bus.answer(.getClient, from: ":1.2") == .path("/org/freedesktop/GeoClue2/Client/3"))
        #expect(bus.answer(.deleteClient("/org/freedesktop/GeoClue2/Client/2")) == .done)
        #expect(self.refusal(bus.answer(.deleteClient("/org/freedesktop/GeoClue2/Client/2"))) == "UnknownObject")
        #expect(self.refusal(bus.answer(.deleteClient("/org/freedesktop/GeoClue2/Client/3"))) == "UnknownObject")
    }

    @Test func programsAndClientsAreBounded() throws {
        var bus = Bus()
        for _ in 0..<8 { _ = try bus.client() }
        #expect(self.refusal(bus.answer(.createClient)) == "LimitsExceeded")
        for program in 2...8 { for _ in 0..<8 { _ = try bus.client(of: ":1.\(program)") } }
        #expect(self.refusal(bus.answer(.createClient, from: ":1.99")) == "LimitsExceeded")
        _ = bus.broker.vanished(":1.1", now: bus.at(9))
        _ = try bus.client(of: ":1.99")
    }

    @Test func anotherUsersProgramsAreRefused() {
        var bus = Bus()
        #expect(self.refusal(bus.answer(.getClient, user: 1001)) == "AccessDenied")
        #expect(self.refusal(bus.answer(.getClient, user: 0)) == "AccessDenied")
    }

    @Test func aPositionIsToldToItsClientAlone() throws {
        var bus = Bus()
        let client = try self.served(&bus)
        #expect(bus.value("Active", on: client) == .flag(true) && bus.value("Location", on: client) == .path("/"))
        let effects = bus.broker.positionReceived(self.here, for: self.number, now: bus.at(1))
        let place = client + "/Location/0"
        #expect(effects.last == .updated(to: ":1.1", client: client, old: "/", new: place))
        #expect(bus.value("Location", on: client) == .path(place))
        guard case .values(let properties)? = bus.answer(.getAll(interface: GeoClueInterface.location), on: place)
        else {
            Issue.record("no properties")
            return
        }
        #expect(properties.map(\.name).count == 8 && properties[0].value == .double(53.5))
        #expect(properties[3].value == .double(-1.7976931348623157e+308) && properties[5].value == .double(-1))
        #expect(properties[7].value == .time(seconds: 1_700_000_000, microseconds: 250_000))
        #expect(self.refusal(bus.answer(.getAll(interface: ""), on: place, from: ":1.2")) == "UnknownObject")
        #expect(self.refusal(bus.answer(.stop, on: client, from: ":1.2")) == "UnknownObject")
        // The last two can be read, but no earlier ones.
        _ = bus.broker.positionReceived(self.here, for: self.number, now: bus.at(2))
        let third = bus.broker.positionReceived(self.here, for: self.number, now: bus.at(3)).last
        #expect(third == .updated(to: ":1.1", client: client, old: client + "/Location/1", new: client + "/Location/2"))
        #expect(self.refusal(bus.answer(.getAll(interface: ""), on: place)) == "UnknownObject")
    }

    @Test func aRefusalTakesThePositionsBack() throws {
        var bus = Bus()
        let client = try self.served(&bus)
        _ = bus.broker.positionReceived(self.here, for: self.number, now: bus.at(1))
        _ = bus.broker.permissionChanged(.denied, of: self.number, now: bus.at(2))
        #expect(bus.value("Active", on: client) == .flag(false) && bus.value("Location", on: client) == .path("/"))
        #expect(self.refusal(bus.answer(.getAll(interface: ""), on: client + "/Location/0")) == "UnknownObject")
        #expect(bus.broker.positionReceived(self.here, for: self.number, now: bus.at(3)) == [])
    }

    @Test func whoIsNobodyIsRefusedAndWhoClaimsIsBounded() throws {
        var bus = Bus()
        let client = try bus.client()
        #expect(self.refusal(bus.answer(.start(Self.python), on: client)) == "AccessDenied")
        func liar(_ program: Int) -> BusCall.Method { .start(ProcessFacts(executable: "/usr/bin/liar\(program)")) }
        for place in 0..<16 {
            _ = bus.set("DesktopId", .text("liar\(place)"), on: client)
            // A program may have half of the places.
            if place == 8 { #expect(self.refusal(bus.answer(liar(0), on: client)) == "LimitsExceeded") }
            #expect(bus.answer(place == 8 ? .start(Self.python) : liar(place / 8), on: client) == nil)
            #expect(bus.answer(.stop, on: client) != nil)
        }
        _ = bus.set("DesktopId", .text("liar16"), on: client)
        #expect(self.refusal(bus.answer(.start(Self.python), on: client)) == "LimitsExceeded")
        // A name that it used before, and an app that is known, are still accepted.
        _ = bus.set("DesktopId", .text("liar8"), on: client)
        #expect(bus.answer(.start(Self.python), on: client) == nil)
        #expect(bus.answer(.start(Self.maps), on: try bus.client(of: ":1.2"), from: ":1.2") == nil)
    }

    /// Goal: invented names do not fill locationd's list of apps, whichever way they are made and however often the
    /// broker restarts.
    @Test func appsAreBoundedAlsoThoseOfAnEarlierBroker() throws {
        var bus = Bus()
        let client = try bus.client()
        func sandbox(_ number: Int) -> BusCall.Method {
            .start(ProcessFacts(flatpakInfo: "[Application]\nname=org.liar\(number)\n", executable: "/app/bin/liar"))
        }
        bus.see((0..<63).map { "geoclue.flatpak.org.liar\($0)" } + ["com.example.Other"])
        #expect(bus.answer(sandbox(63), on: client) == nil)
        #expect(bus.answer(.stop, on: client) != nil)
        let effects = bus.call(sandbox(64), on: client)
        #expect(effects.contains(.recount))
        guard case .answer(_, let answer)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(self.refusal(answer) == "LimitsExceeded")
        #expect(bus.answer(sandbox(5), on: client) == nil)
        #expect(bus.answer(.stop, on: client) != nil)
        // The owner removed apps to make room.
        bus.see((0..<10).map { "geoclue.flatpak.org.liar\($0)" })
        #expect(bus.answer(sandbox(64), on: client) == nil)
        // Claims from an earlier run of the broker count as claims.
        bus.see((0..<16).map { "geoclue.claimed.liar\($0).0011" })
        let other = try bus.client(of: ":1.2")
        _ = bus.set("DesktopId", .text("weather"), on: other, from: ":1.2")
        #expect(self.refusal(bus.answer(.start(Self.python), on: other, from: ":1.2")) == "LimitsExceeded")
    }

    /// Goal: a program that filled the list with undecided apps blocks nobody after it has ended.
    @Test func appsThatNobodyAsksForMakeRoom() throws {
        var bus = Bus()
        let liar = try bus.client()
        var asked: [String] = []
        for place in 0..<8 {
            _ = bus.set("DesktopId", .text("liar\(place)"), on: liar)
            for case .connect(_, let asker) in bus.call(.start(Self.python), on: liar) { asked.append(asker.bundle) }
        }
        let others = (0..<8).map { "geoclue.claimed.other\($0).0011" }
        func apps(decided: Set<String>) -> [InstalledApp] {
            (asked + others + ["com.example.App"]).map { .init(bundle: $0, isDecided: decided.contains($0)) }
        }
        // The app that it requests now stays. So does an app about which a person decided.
        let kept = Set(others + asked.prefix(1))
        #expect(bus.broker.appsSeen(apps(decided: kept)) == asked[1..<7].map { .forget($0) })
        var full = Bus()
        #expect(full.broker.appsSeen(apps(decided: Set(others))) == asked.map { .forget($0) })
        // Below the limits nothing is removed: a person may still decide.
        var few = Bus()
        #expect(few.broker.appsSeen([.init(bundle: asked[0], isDecided: false)]) == [])
        // A free place is searched for when a program ends.
        var ending = Bus()
        let client = try ending.client()
        _ = ending.set("DesktopId", .text("liar0"), on: client)
        _ = ending.call(.start(Self.python), on: client)
        let none = ending.broker.appsSeen(apps(decided: Set(asked + others)))
        #expect(none == [] && ending.broker.vanished(":1.1", now: ending.at(1)).contains(.recount))
    }

    /// Goal: the end of a connection does not bring back an app that was removed while its program runs.
    @Test func aRemovedAppStaysAwayUntilStart() throws {
        var bus = Bus()
        let client = try self.served(&bus)
        _ = bus.broker.lost(self.number, "removed", now: bus.at(1))
        #expect(bus.broker.deadlineReached(now: bus.at(2)).contains { if case .reconnect = $0 { true } else { false } })
        let effects = bus.broker.refused(self.number, "no such app", now: bus.at(2))
        #expect(effects.contains(.disconnect(self.number)) && bus.value("Active", on: client) == .flag(false))
        #expect(bus.broker.deadlineReached(now: bus.at(100)) == [])
        #expect(bus.call(.start(Self.maps), on: client).contains { if case .connect = $0 { true } else { false } })
    }

    /// Goal: a connection that another program takes over, or that claims another app, loses its permissions.
    @Test func anotherAppOnTheSameConnectionBeginsAnew() throws {
        var bus = Bus()
        let client = try self.served(&bus)
        _ = bus.broker.positionReceived(self.here, for: self.number, now: bus.at(1))
        _ = bus.set("DesktopId", .text("weather"), on: client)
        let effects = bus.call(.start(Self.python), on: client)
        #expect(effects.contains(.disconnect(self.number)))
        #expect(effects.contains { if case .connect(_, let asker) = $0 { !asker.isKnown } else { false } })
        #expect(bus.value("Location", on: client) == .path("/") && bus.value("Active", on: client) == .flag(false))
    }

    @Test func settingsOutOfRangeAreRefusedOrClamped() throws {
        var bus = Bus()
        let client = try bus.client()
        func refused(_ property: String, _ value: BusValue) -> String? {
            guard case .answer(_, let answer)? = bus.set(property, value, on: client).first else { return nil }
            return self.refusal(answer)
        }
        #expect(refused("DesktopId", .text("../../etc/passwd")) == "InvalidArgs")
        #expect(refused("DistanceThreshold", .text("far")) == "InvalidArgs")
        #expect(refused("RequestedAccuracyLevel", .number(99)) == "InvalidArgs")
        #expect(refused("RequestedAccuracyLevel", .number(9)) == "InvalidArgs")
        #expect(refused("RequestedAccuracyLevel", .number(8)) == nil)
        #expect(refused("Active", .flag(true)) == "PropertyReadOnly")
        #expect(refused("Nonsense", .number(1)) == "UnknownProperty")
        #expect(refused("DistanceThreshold", .number(.max)) == nil && refused("TimeThreshold", .number(.max)) == nil)
        #expect(bus.value("TimeThreshold", on: client) == .number(.max))
        #expect(self.refusal(bus.answer(.getClient, on: "/nowhere")) == "UnknownObject")
        #expect(self.refusal(bus.answer(.getClient, on: client)) == "UnknownMethod")
    }

    @Test func aProgramThatLeavesIsForgotten() throws {
        var bus = Bus()
        let client = try self.served(&bus)
        let effects = bus.broker.vanished(":1.1", now: bus.at(9))
        #expect(effects.contains(.disconnect(self.number)))
        #expect(self.refusal(bus.answer(.stop, on: client)) == "UnknownObject" && bus.broker.deadline == nil)
        #expect(bus.broker.vanished(":1.1", now: bus.at(9)) == [])
    }

    @Test func theManagerSaysWhatIsThere() {
        var bus = Bus()
        func level() -> BusAnswer? {
            bus.answer(.get(interface: GeoClueInterface.manager, property: "AvailableAccuracyLevel"))
        }
        #expect(level() == .value(.number(0)))
        #expect(bus.broker.locationdSeen(true).count == 1 && bus.broker.locationdSeen(true) == [])
        #expect(level() == .value(.number(8)))
    }

    // MARK: Agents

    private static let shell = ProcessFacts(executable: "/usr/bin/gnome-shell")

    @Test func anAgentAnswersForAnAppThatIsKnown() throws {
        var bus = Bus()
        let effects = bus.call(.addAgent("gnome-shell", Self.shell), from: ":1.9")
        #expect(effects.dropFirst() == [.meet(agent: ":1.9"), .watchPrompts(true)])
        let client = try bus.client()
        _ = bus.set("RequestedAccuracyLevel", .number(8), on: client)
        _ = bus.call(.start(Self.maps), on: client)
        let prompt = PromptNumber(7)
        #expect(bus.broker.promptShown(prompt, "com.example.Other") == [])
        let asked = bus.broker.promptShown(prompt, "geoclue.flatpak.org.gnome.Maps")
        #expect(asked == [.authorize(agent: ":1.9", prompt, desktopID: "org.gnome.Maps", .exact)])
        #expect(bus.broker.agentAnswered(":1.8", prompt, .exact) == [], "the program is not an agent")
        #expect(bus.broker.agentAnswered(":1.9", PromptNumber(6), .exact) == [], "of another prompt")
        let answer: Broker.Effect = .answerPrompt(prompt, .allow(precisely: false))
        #expect(bus.broker.agentAnswered(":1.9", prompt, .city) == [answer])
        #expect(bus.broker.agentAnswered(":1.9", prompt, .exact) == [], "answered already")
    }

    @Test func anAgentIsNotAskedAboutAClaimAndItsFailureIsNoAnswer() throws {
        var bus = Bus()
        _ = bus.call(.addAgent("gnome-shell", Self.shell), from: ":1.9")
        let client = try bus.client()
        _ = bus.set("DesktopId", .text("firefox"), on: client)
        let effects = bus.call(.start(Self.python), on: client)
        guard case .connect(_, let asker)? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(bus.broker.promptShown(PromptNumber(1), asker.bundle) == [])
        let known = try bus.client(of: ":1.2")
        _ = bus.call(.start(Self.maps), on: known, from: ":1.2")
        #expect(bus.broker.promptShown(PromptNumber(2), "geoclue.flatpak.org.gnome.Maps").count == 1)
        #expect(bus.broker.agentAnswered(":1.9", PromptNumber(2), nil) == [])
        #expect(
            bus.broker.agentAnswered(":1.9", PromptNumber(2), AccuracyLevel.none) == [
                .answerPrompt(PromptNumber(2), .deny)
            ]
        )
    }

    @Test func whoAsksOrIsInASandboxDoesNotAnswer() throws {
        var bus = Bus()
        #expect(self.refusal(bus.answer(.addAgent("gnome-shell", Self.maps))) == "AccessDenied")
        #expect(self.refusal(bus.answer(.addAgent("gnome-shell", ProcessFacts()))) == "AccessDenied")
        _ = try bus.client()
        #expect(self.refusal(bus.answer(.addAgent("gnome-shell", Self.shell))) == "AccessDenied")
        #expect(bus.answer(.addAgent("gnome-shell", Self.shell), from: ":1.2") == .done)
        #expect(self.refusal(bus.answer(.createClient, from: ":1.2")) == "LimitsExceeded")
        for agent in 3...9 { #expect(bus.answer(.addAgent("a", Self.shell), from: ":1.\(agent)") == .done) }
        #expect(self.refusal(bus.answer(.addAgent("a", Self.shell), from: ":1.10")) == "LimitsExceeded")
    }

    @Test func aDesktopsSwitchHoldsForAll() throws {
        var bus = Bus()
        let client = try self.served(&bus)
        _ = bus.broker.positionReceived(self.here, for: self.number, now: bus.at(1))
        _ = bus.call(.addAgent("gnome-shell", Self.shell), from: ":1.9")
        let reduced = bus.broker.agentAllowed(":1.9", 4, now: bus.at(2))
        #expect(reduced.contains(.declare(self.number, .init(distanceFilter: -1, needsFullAccuracy: false))))
        let off = bus.broker.agentAllowed(":1.9", 0, now: bus.at(3))
        #expect(off.contains(.withdraw(self.number)) && bus.value("Active", on: client) == .flag(false))
        #expect(bus.value("Location", on: client) == .path("/"))
        #expect(self.refusal(bus.answer(.start(Self.maps), on: client)) == "AccessDenied")
        #expect(bus.broker.positionReceived(self.here, for: self.number, now: bus.at(4)) == [])
        // The program was started and refused, and starts again. Another waiting program continues by itself when the
        // switch is on.
        let other = try bus.client(of: ":1.2")
        #expect(self.refusal(bus.answer(.start(Self.maps), on: other, from: ":1.2")) == "AccessDenied")
        let on = bus.broker.vanished(":1.9", now: bus.at(9))
        #expect(on.contains(.watchPrompts(false)) && bus.value("Active", on: client) == .flag(true))
        #expect(on.contains(.declare(self.number, .init(distanceFilter: -1, needsFullAccuracy: true))))
    }
}
