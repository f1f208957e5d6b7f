internal import TransportRules
internal import WhereaboutsSharing
internal import WhereaboutsSharingURLSession

/// Checks `URLSession`'s transport in a process of its own: the authorities that it trusts are the system's, and a test gives it other ones by
/// mounting a file over theirs, for this process alone.
///
/// `transport-probe GOOD OLD-TLS ANOTHER-NAME` prints a line for each rule, and `untrusted GOOD` whether a server is refused as one that is not trusted.
@main
enum TransportProbe {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst().map(\.self)
        if words.count == 2, words[0] == "untrusted" { return try await self.checkTrust(words[1]) }
        guard words.count == 3 else { fatalError("give three addresses, or untrusted and one") }
        let addresses = RuleServer.Addresses(good: words[0], oldTLS: words[1], anotherName: words[2])
        let transport = try URLSessionTransport(settings: ServerSettings(server: words[0]))
        for rule in TransportRule.ofFoundationNetworking {
            do {
                try await rule.check(transport, at: addresses)
                print("\(rule.rawValue): kept")
            } catch {
                print("\(rule.rawValue): broken: \(error)")
            }
        }
        print("done")
    }

    private static func checkTrust(_ server: String) async throws {
        let transport = try URLSessionTransport(settings: ServerSettings(server: server))
        do {
            _ = try await transport.exchange(ServerRequest(url: server + "/echo"), within: .seconds(10))
            print("trusted")
        } catch let failure as TransportFailure {
            print(failure == .untrusted ? "untrusted" : "failed: \(failure)")
        }
        print("done")
    }
}
