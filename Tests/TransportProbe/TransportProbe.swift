internal import Foundation
internal import TransportRules
internal import WhereaboutsSharing
internal import WhereaboutsSharingURLSession

/// Checks `URLSession`'s transport in a process of its own: the authorities that it trusts are the system's, and a test gives it other ones by
/// mounting a file over theirs, for this process alone.
///
/// `transport-probe answer PROFILE FILE…` answers the requests in files without a server, for a test that cuts the power.
/// `transport-probe GOOD OLD-TLS ANOTHER-NAME` prints a line for each rule, and `untrusted GOOD` whether a server is refused as one that is not trusted.
@main
enum TransportProbe {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst().map(\.self)
        if words.count == 2, words[0] == "untrusted" { return try await self.checkTrust(words[1]) }
        if words.count > 2, words[0] == "answer" { return try self.answer(words[1], words.dropFirst(2)) }
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

    /// Answers all requests but the last one, which only uses its grant; the server receives every second answer.
    private static func answer(_ path: String, _ files: ArraySlice<String>) throws {
        let records = try SharingProfile(path: path).records()
        let policy = SharingPolicy()
        for (number, file) in files.enumerated() {
            let request = try Signed<Request>(bytes: [UInt8](Data(contentsOf: URL(filePath: file)))).value
            let use = try records.use(request, policy: policy, now: .now)
            guard number < files.count - 1 else { return print("\(use)") }
            let said = Answer.Content.unavailable("no sky")
            let action = try records.answered(request, [UInt8(number)], saying: said, policy: policy, now: .now)
            print("\(use) \(action)")
            guard number.isMultiple(of: 2), let given = records.undelivered.last else { continue }
            records.ended(given, .delivered, now: .now)
        }
    }
}
