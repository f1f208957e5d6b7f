internal import Crypto
internal import PushEngine
internal import Testing

@testable internal import PushGateway

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

    /// Goal: keys of several teams are no domain of trust together: each says what it is for.
    @Test func keysOfSeveralTeamsNameTheirApps() throws {
        func key(_ team: String, _ scope: TopicScope, _ relayedADay: Int? = nil) -> ProviderKey {
            let publicKey = P256.Signing.PrivateKey().publicKey
            return ProviderKey(
                teamID: team,
                keyID: "K",
                publicKey: publicKey,
                scope: scope,
                relayedADay: relayedADay
            )
        }
        try ProviderKey.check([key("A", .all), key("A", .all)])
        try ProviderKey.check([key("A", .apps(["a"])), key("B", .apps(["b"]))])
        #expect(throws: GatewayError.self) { try ProviderKey.check([key("A", .apps(["a"])), key("B", .all)]) }
        // A sender has no apps of its own that another key could push to, and may not push to all of the vendor's.
        try ProviderKey.check([key("A", .all), key("B", .apps(["b"]), 1), key("C", .apps(["b"]), 1)])
        for wrong in [
            [key("A", .all), key("B", .all, 1)], [key("A", .apps(["a"])), key("B", .all, 1)],
            [key("A", .all), key("B", .apps(["b"]), 1), key("C", .apps(["c"]))],
        ] {
            #expect(throws: GatewayError.self) { try ProviderKey.check(wrong) }
        }
        // Nor where it is alone as yet.
        try key("B", .apps(["b"]), 1).checkRelayed(among: ["b"])
        let error = #expect(throws: GatewayError.self) { try key("B", .all, 1).checkRelayed(among: ["b"]) }
        #expect(error?.message.contains("names no apps") == true)
    }
}
