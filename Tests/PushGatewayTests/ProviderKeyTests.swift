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
        let option = "T:K:\(self.rig.path("key.p8"))"
        #expect(try ProviderKey(option: option).scope == .all)
        #expect(try ProviderKey(option: option + ":org.example.a,b").scope == .apps(["org.example.a", "b"]))
    }

    @Test(arguments: ["", ":", "::", "a:b", "a:b:", "a::c", "T:K:key.p8:", "T:K:key.p8:a,", "T:K:key.p8:a b"])
    func anOptionOfAnotherFormIsRefused(_ option: String) {
        #expect(throws: GatewayError.self) { try ProviderKey(option: option) }
    }

    /// Goal: keys of several teams are no domain of trust together: each says what it is for.
    @Test func keysOfSeveralTeamsNameTheirApps() throws {
        func key(_ team: String, _ scope: TopicScope) -> ProviderKey {
            ProviderKey(teamID: team, keyID: "K", publicKey: P256.Signing.PrivateKey().publicKey, scope: scope)
        }
        try ProviderKey.check([key("A", .all), key("A", .all)])
        try ProviderKey.check([key("A", .apps(["a"])), key("B", .apps(["b"]))])
        #expect(throws: GatewayError.self) { try ProviderKey.check([key("A", .apps(["a"])), key("B", .all)]) }
    }
}
