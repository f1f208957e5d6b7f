internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsCertificates
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests the example that receives OwnTracks' HTTP posts, unchanged.
@Suite(
    .offPool,
    .timeLimit(.minutes(3)),
    .enabled(if: ExampleReceiver.hasPython, "skipped: python3 is not installed")
)
struct PhoneTests {
    private static let token = "0123456789abcdef0123"

    /// A phone that posts each body with the password, and prints the status of each reply.
    private static let post = """
        import base64, ssl, sys, urllib.error, urllib.request
        url, authority, password, *bodies = sys.argv[1:]
        context = ssl.create_default_context(cafile=authority)
        for body in bodies:
            credentials = base64.b64encode(f"ada:{password}".encode()).decode()
            request = urllib.request.Request(url, body.encode(), {"authorization": f"Basic {credentials}"})
            try:
                with urllib.request.urlopen(request, context=context, timeout=10) as response:
                    print(response.status, response.read().decode())
            except urllib.error.HTTPError as error:
                print(error.code)
        """

    private let receiver: ExampleReceiver

    init() throws {
        self.receiver = try ExampleReceiver("phone.py")
        let certificate = try LoopbackCertificate()
        for (name, text) in [
            ("ca.pem", certificate.authorityPEM), ("tls.pem", certificate.certificatePEM),
            ("tls.key", certificate.keyPEM), ("token", Self.token + "\n"), ("short", "short"),
        ] { try self.receiver.write(text, to: name) }
    }

    private func posted(_ url: String, password: String = Self.token, _ bodies: String...) throws -> [String] {
        let arguments = ["-c", Self.post, url, self.receiver.path("ca.pem"), password] + bodies
        return try self.receiver.child("post", ExampleReceiver.python, arguments).waitForEnd(within: 30).output
            .split(separator: "\n").map(String.init)
    }

    private static func location(_ time: Int, _ more: String = "") -> String {
        #"{"_type":"location","lat":53.5451,"lon":9.9672,"acc":12,"vel":36,"cog":90,"alt":8,"vac":3,"tst":\#(time)\#(more)}"#
    }

    @Test func aPhoneTellsWhereItIs() async throws {
        let program = try self.receiver.start([
            "--token-file", self.receiver.path("token"), "--listen", "127.0.0.1:0",
            "--certificate", self.receiver.path("tls.pem"), "--private-key", self.receiver.path("tls.key"),
        ])
        defer { program.terminate() }
        let listening = try program.waitForLine(within: 30) { $0.hasPrefix("listening https://127.0.0.1:") }
        let url = String(listening.dropFirst("listening ".count))
        let (fixes, continuation) = AsyncStream.makeStream(of: Fix.self)
        let source = self.receiver.startSource { if case .measured(.fix(let fix)) = $0 { continuation.yield(fix) } }
        let now = Int(Date().timeIntervalSince1970)
        #expect(try self.posted(url, password: "guessed", Self.location(now)) == ["401"])
        // The older position arrived late; the newest one stays in use.
        let answers = try self.posted(
            url,
            Self.location(now),
            Self.location(now - 60, #","note":"late""#),
            #"{"_type":"lwt","tst":1}"#,
            #"{"_type":"location","lat":91,"lon":0,"tst":1}"#,
            "no JSON"
        )
        #expect(answers == ["200 []", "200 []", "200 []", "200 []", "400"])
        for await fix in fixes {
            #expect(fix.latitude == 535_451_000 && fix.longitude == 99_672_000)
            #expect(fix.horizontalAccuracy == 12_000 && fix.speed == 10_000)
            #expect(fix.time.seconds == Int64(now))
            break
        }
        source.stop()
        #expect(self.receiver.complaints.isEmpty)
    }

    /// Goal: an endpoint without a password, or without encryption, does not start.
    @Test func anEndpointWithoutItsGuardsDoesNotStart() throws {
        for (arguments, words) in [
            (
                ["--token-file", self.receiver.path("token"), "--listen", "0.0.0.0:0"],
                "give --certificate and --private-key"
            ),
            (["--token-file", self.receiver.path("short")], "expected at least 16"),
            (
                ["--token-file", self.receiver.path("token"), "--certificate", self.receiver.path("tls.pem")],
                "are given together"
            ),
        ] {
            let program = try self.receiver.start(arguments)
            #expect(try program.waitForEnd(within: 30).status == 2)
            #expect(self.receiver.complaints.contains(words), "\(self.receiver.complaints)")
        }
    }
}
