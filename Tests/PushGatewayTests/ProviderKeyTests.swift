internal import Crypto
internal import Synchronization
internal import Testing
internal import WhereaboutsPushEngine

@testable internal import WhereaboutsPushGateway

@Suite struct ProviderKeyTests {
    let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    @Test func appsStandBehindTheFile() throws {
        let option = "\(GatewayRig.teamID):\(GatewayRig.keyID):\(self.rig.path("key.p8"))"
        #expect(try ProviderKey(option: option).scope == .all)
        #expect(try ProviderKey(option: option + ":org.example.a,b").scope == .apps(["org.example.a", "b"]))
    }

    @Test(arguments: [
        "", ":", "::", "a:b", "a:b:", "a::c", "TEAM:KEY:", "TEAM:KEY:FILE:", "TEAM:KEY:FILE:a,", "TEAM:KEY:FILE:a b",
    ])
    func anOptionOfAnotherFormIsRefused(_ option: String) {
        let option = option.replacing("TEAM", with: GatewayRig.teamID).replacing("KEY", with: GatewayRig.keyID)
            .replacing("FILE", with: self.rig.path("key.p8"))
        #expect(throws: GatewayError.self) { try ProviderKey(option: option) }
    }

    @Test(arguments: ["T:KEYKEYKEY1", "TEAMTEAM01:K", "TEAMTEAM0é:KEYKEYKEY1", "TEAMTEAM01:KEYKEYKEY/"])
    func anIDIsTenLettersAndDigits(_ ids: String) {
        let error = #expect(throws: GatewayError.self) { try ProviderKey(option: "\(ids):\(self.rig.path("key.p8"))") }
        #expect(error?.description.contains("10 letters and digits") == true)
    }

    private func key(_ team: String, _ scope: TopicScope, _ relayedADay: Int? = nil, id: String = "K") -> ProviderKey {
        ProviderKey(
            teamID: team,
            keyID: id,
            publicKey: P256.Signing.PrivateKey().publicKey,
            scope: scope,
            relayedADay: relayedADay
        )
    }

    /// Goal: keys of several teams are not trusted together: each must name its apps.
    @Test func keysOfSeveralTeamsNameTheirApps() throws {
        try ProviderKey.checkApps([self.key("A", .all), self.key("A", .all)])
        try ProviderKey.checkApps([self.key("A", .apps(["a"])), self.key("B", .apps(["b"]))])
        #expect(throws: GatewayError.self) {
            try ProviderKey.checkApps([self.key("A", .apps(["a"])), self.key("B", .all)])
        }
        // A sender has no apps that another key could push to, and may not push to all of the vendor's apps.
        try ProviderKey.checkApps([self.key("A", .all), self.key("B", .apps(["b"]), 1), self.key("C", .apps(["b"]), 1)])
        for wrong in [
            [self.key("A", .all), self.key("B", .all, 1)], [self.key("A", .apps(["a"])), self.key("B", .all, 1)],
            [self.key("A", .all), self.key("B", .apps(["b"]), 1), self.key("C", .apps(["c"]))],
        ] {
            #expect(throws: GatewayError.self) { try ProviderKey.checkApps(wrong) }
        }
        // This also holds for the only key.
        try self.key("B", .apps(["b"]), 1).checkRelayed(among: ["b"])
        let error = #expect(throws: GatewayError.self) { try self.key("B", .all, 1).checkRelayed(among: ["b"]) }
        #expect(error?.message.contains("names no apps") == true)
    }

    /// Goal: a team cannot push to devices that registered for another team's app; a sender does not count as a team
    /// with apps.
    @Test func anAppHasOneTeam() throws {
        let (own, others) = (self.key("A", .apps(["a"])), self.key("B", .apps(["b", "a"])))
        let error = #expect(throws: GatewayError.self) {
            try ProviderKey.checkOwners(of: [others], among: [own, others])
        }
        #expect(error?.message.contains("names a, an app of the team of A:K") == true)
        try ProviderKey.checkOwners(
            of: [own],
            among: [own, self.key("A", .apps(["a"]), id: "L"), self.key("B", .apps(["b"]))]
        )
        try ProviderKey.checkOwners(of: [others], among: [others, self.key("A", .apps(["a"]), 1)])
        try ProviderKey.checkOwners(of: [self.key("A", .apps(["a"]), 1)], among: [others])
        // Keys from an earlier version do not stop the gateway from starting.
        try ProviderKey.checkOwners(of: [self.key("C", .apps(["c"]))], among: [own, others])
        #expect(throws: GatewayError.self) { try ProviderKeyring([own, others], store: nil) }
        #expect(throws: GatewayError.self) { try ProviderKeyring([own], store: Kept([others])) }
        _ = try ProviderKeyring([], store: Kept([own, others]))
        let ring = try ProviderKeyring([own], store: Kept([]))
        #expect(throws: GatewayError.self) { try ring.add(others) }
        #expect(throws: GatewayError.self) { try ring.exchange([own, others]) }
        #expect(ring.names == ["A:K"])
    }

    /// Goal: two given keys with the same IDs are refused, because it would be unclear which one is valid.
    @Test func idsAreGivenOnce() throws {
        let key = self.key("A", .apps(["a"]))
        try ProviderKey.checkIDs([key, key, self.key("A", .apps(["a"]), id: "L")])
        let wider = ProviderKey(teamID: "A", keyID: "K", publicKey: key.publicKey, scope: .apps(["a", "b"]))
        for other in [self.key("A", .apps(["a"])), wider] {
            let error = #expect(throws: GatewayError.self) { try ProviderKeyring([key, other], store: nil) }
            #expect(error?.message.contains("A:K: is given twice") == true)
        }
    }

    /// Goal: a given key has priority over a stored one with the same IDs, which becomes invalid, with a message.
    @Test func aKeyThatIsGivenIsInForce() throws {
        let (given, added) = (self.key("A", .apps(["a"])), self.key("A", .apps(["b"])))
        let ring = try ProviderKeyring([], store: Kept([added]))
        #expect(ring.inForce.map(\.apps) == [["b"]] && ring.warning == nil)
        try ring.exchange([given])
        #expect(ring.inForce.map(\.apps) == [["a"]] && ring.names == ["A:K"])
        #expect(ring.keys.map(\.isKept) == [false, true] && ring.warning?.contains("not in force") == true)
        // The app of the invalid key belongs to no key.
        try ring.exchange([given, self.key("B", .apps(["b"]))])
        #expect(try ring.remove(teamID: "A", keyID: "K") == ["A:K"])
        #expect(ring.warning == nil && ring.names == ["A:K", "B:K"])
    }

    /// Goal: after a team's removable keys were removed, a message says that it can still push with the given ones.
    @Test func whatStaysInForceIsSaid() throws {
        let keys = ["K", "L"].map { self.key("A", .apps(["a"]), id: $0) }
        let ring = try ProviderKeyring([keys[0]], store: Kept([keys[1], self.key("B", .apps(["b"]))]))
        #expect(try ring.remove(teamID: "A", keyID: nil) == ["A:K"])
        #expect(try ring.remove(teamID: "B", keyID: nil) == [])
        #expect(ring.names == ["A:K"])
        #expect(throws: GatewayError.self) { try ring.remove(teamID: "A", keyID: nil) }
    }
}

/// Keys that are kept in memory.
private final class Kept: ProviderKeyStore {
    private let keys: Mutex<[ProviderKey]>

    init(_ keys: [ProviderKey]) {
        self.keys = Mutex(keys)
    }

    func providerKeys() -> [ProviderKey] { self.keys.withLock { $0 } }

    func put(_ key: ProviderKey) {
        self.keys.withLock { $0 = $0.filter { $0.name != key.name } + [key] }
    }

    func removeProviderKeys(teamID: String, keyID: String?) -> Bool {
        self.keys.withLock { keys in
            let count = keys.count
            keys.removeAll { $0.teamID == teamID && (keyID == nil || $0.keyID == keyID) }
            return keys.count < count
        }
    }
}
