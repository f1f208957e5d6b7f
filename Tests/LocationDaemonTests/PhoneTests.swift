internal import Foundation
internal import NIOPosix
internal import Rig
internal import Testing
internal import WhereaboutsCertificates
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

private let python = "/usr/bin/python3"

/// The example that takes what OwnTracks posts, as it stands, at a port of its own.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: FileManager.default.fileExists(atPath: python), "skipped: python3 is not installed")
)
struct PhoneTests {
    private static let phone = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/Receivers/phone.py").path
    private static let token = "0123456789abcdef0123"

    /// A phone: posts each body with the password, and prints the status of each answer.
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

    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
        let certificate = try LoopbackCertificate()
        for (name, text) in [
            ("ca.pem", certificate.authorityPEM), ("tls.pem", certificate.certificatePEM),
            ("tls.key", certificate.keyPEM), ("token", Self.token + "\n"),
        ] {
            try Data(text.utf8).write(to: URL(filePath: self.path(name)))
        }
    }

    private func path(_ name: String) -> String { "\(self.scratch.path)/\(name)" }

    private func start(_ arguments: String...) throws -> Child {
        try Child("phone.py", python, [Self.phone, self.path("phone.sock")] + arguments, log: self.path("phone.log"))
    }

    private func posted(_ url: String, password: String = Self.token, _ bodies: String...) throws -> [String] {
        let arguments = ["-c", Self.post, url, self.path("ca.pem"), password] + bodies
        return try Child("post", python, arguments, log: self.path("post.log")).waitForEnd(within: 30).output
            .split(separator: "\n").map(String.init)
    }

    private static func location(_ time: Int, _ more: String = "") -> String {
        #"{"_type":"location","lat":53.5451,"lon":9.9672,"acc":12,"vel":36,"cog":90,"alt":8,"vac":3,"tst":\#(time)\#(more)}"#
    }

    @Test func aPhoneTellsWhereItIs() async throws {
        let program = try self.start(
            "--token-file",
            self.path("token"),
            "--listen",
            "127.0.0.1:0",
            "--certificate",
            self.path("tls.pem"),
            "--private-key",
            self.path("tls.key")
        )
        defer { program.terminate() }
        let listening = try program.waitForLine(within: 30) { $0.hasPrefix("listening https://127.0.0.1:") }
        let url = String(listening.dropFirst("listening ".count))
        let (fixes, continuation) = AsyncStream.makeStream(of: Fix.self)
        let source = ReceiverSource(
            .program(path: self.path("phone.sock")),
            number: 0,
            group: MultiThreadedEventLoopGroup.singleton
        ) { event in
            if case .measured(.fix(let fix)) = event { continuation.yield(fix) }
        }
        source.start()
        let now = Int(Date().timeIntervalSince1970)
        #expect(try self.posted(url, password: "guessed", Self.location(now)) == ["401"])
        // The older one came late: the newest position of the phone is where it is.
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
        #expect(try String(contentsOfFile: self.path("phone.log"), encoding: .utf8).isEmpty)
    }

    /// Goal: an endpoint that anybody could post to, or read on the way, does not start.
    @Test func anEndpointWithoutItsGuardsDoesNotStart() throws {
        try Data("short".utf8).write(to: URL(filePath: self.path("short")))
        for (arguments, words) in [
            (["--token-file", self.path("token"), "--listen", "0.0.0.0:0"], "give --certificate and --private-key"),
            (["--token-file", self.path("short")], "16 at least are due"),
            (["--token-file", self.path("token"), "--certificate", self.path("tls.pem")], "are given together"),
        ] {
            let program = try Child(
                "phone.py",
                python,
                [Self.phone, self.path("phone.sock")] + arguments,
                log: self.path("wrong.log")
            )
            #expect(try program.waitForEnd(within: 30).status == 2)
            let log = try String(contentsOfFile: self.path("wrong.log"), encoding: .utf8)
            #expect(log.contains(words), "\(log)")
        }
    }
}
