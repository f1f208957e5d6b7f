internal import Testing
internal import WhereaboutsCertificates

@Suite struct HostNameTests {
    @Test(arguments: [
        ("localhost", "localhost", "127.0.0.1"), ("sharing.example.org", "sharing.example.org", "0.0.0.0"),
        ("192.0.2.1", "192.0.2.1", "0.0.0.0"), ("127.0.0.2", "127.0.0.2", "127.0.0.1"), ("::1", "[::1]", "[::]"),
        ("[2001:db8::1]", "[2001:db8::1]", "[::]"), ("xn--bcher-kva.example", "xn--bcher-kva.example", "0.0.0.0"),
    ])
    func aHostStandsBeforeAPort(text: String, beforePort: String, listening: String) throws {
        let host = try #require(HostName(text))
        #expect(host.beforePort == beforePort && host.listeningAddress == listening)
    }

    @Test(arguments: [
        "", ".", "a..b", "host:8443", "https://host", "host/path", "-foo", "foo-", "192.168.1.300", "0.0.0.0",
        "*.example.org",
        "fe80::1%eth0", "[::1", "[host]", "b\u{fc}cher.example", "a b", String(repeating: "a", count: 64),
        String(repeating: "a.", count: 127) + "a",
    ])
    func otherTextsAreNoHost(text: String) {
        #expect(HostName(text) == nil)
    }
}
