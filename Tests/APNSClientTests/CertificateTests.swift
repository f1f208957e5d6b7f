internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import NIOPosix
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsAPNSClient

/// Tests for certificates, alone and together with provider tokens.
@Suite(.timeLimit(.minutes(2))) struct CertificateTests {
    /// The ways to give the same certificate and key.
    enum Form: CaseIterable {
        case bundle, oldBundle, pem, pemInOne, der, files, bundleFile

        func certificate(in directory: URL) throws -> ProviderCertificate {
            typealias Fixture = CertificateFixture
            let (app, passphrase) = (Sender.app, Fixture.passphrase)
            let (certificate, key) = (Array(Fixture.certificatePEM.utf8), Array(Fixture.keyPEM.utf8))
            func file(_ name: String, _ bytes: [UInt8]) throws -> String {
                let file = directory.appending(path: name)
                try Data(bytes).write(to: file)
                return file.path(percentEncoded: false)
            }
            switch self {
            case .bundle: return try ProviderCertificate(app: app, bytes: Fixture.bundle, passphrase: passphrase)
            case .oldBundle: return try ProviderCertificate(app: app, bytes: Fixture.oldBundle, passphrase: passphrase)
            case .pem: return try ProviderCertificate(app: app, bytes: certificate, key: key)
            case .pemInOne: return try ProviderCertificate(app: app, bytes: key + certificate)
            case .der:
                let (certificate, key) = (Fixture.der(Fixture.certificatePEM), Fixture.der(Fixture.keyPEM))
                return try ProviderCertificate(app: app, bytes: certificate, key: key)
            case .files:
                let (path, keyPath) = (try file("push.cer", certificate), try file("push.key", key))
                return try ProviderCertificate(app: app, path: path, keyPath: keyPath)
            case .bundleFile:
                let path = try file("push.p12", Fixture.bundle)
                return try ProviderCertificate(app: app, path: path, passphrase: passphrase)
            }
        }
    }

    private static func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    private static func certificate(app: String = Sender.app) throws -> ProviderCertificate {
        try ProviderCertificate(app: app, bytes: CertificateFixture.bundle, passphrase: CertificateFixture.passphrase)
    }

    /// Goal: a server that requires this certificate receives the push with its topic and without a token.
    @Test(arguments: Form.allCases) func aPushGoesOutWithTheCertificate(form: Form) async throws {
        try await Self.withDirectory { directory in
            let certificate = try form.certificate(in: directory)
            try await Sender.run(
                clientCertificate: CertificateFixture.certificatePEM,
                configure: {
                    $0.keys = []
                    $0.certificates = [certificate]
                }
            ) { client, server in
                _ = try await client.send(Sender.push(.alert)).get()
                let request = try #require(server.requests.first)
                #expect(request.headers["authorization"] == nil)
                #expect(request.headers["apns-topic"] == Sender.app)
            }
        }
    }

    /// Goal: Apple does not accept location pushes that use a certificate, so the client uses the key for these and for
    /// other apps.
    @Test func aKeyForAllAppsDoesWhatTheCertificateCannot() async throws {
        let certificate = try Self.certificate()
        try await Sender.run(configure: { $0.certificates = [certificate] }) { client, server in
            var other = try Sender.push(.alert)
            other.bundleIdentifier = "org.example.Other"
            for push in [try Sender.push(.alert), try Sender.push(.location), other] {
                _ = try await client.send(push).get()
            }
            #expect(server.requests.map { $0.headers["authorization"] != nil } == [false, true, true])
            #expect(server.requests.map(\.connection) == [1, 2, 2])
        }
        try await Sender.run(configure: {
            $0.keys = []
            $0.certificates = [certificate]
        }) { client, server in
            let error = await #expect(throws: APNSError.self) { try await client.send(Sender.push(.location)).get() }
            #expect(error?.code == .badConfiguration)
            #expect(error?.message.contains("no location push with a certificate") == true)
            #expect(server.connections == 0)
        }
    }

    @Test(arguments: [true, false]) func aServerThatWantsAnotherCertificateIsNamed(hasCertificate: Bool) async throws {
        let certificate = try Self.certificate()
        let other = try await FakeAPNS.start()
        let pem = try String(contentsOfFile: other.authorityPath, encoding: .utf8)
        try await Sender.run(
            clientCertificate: pem,
            configure: {
                if hasCertificate { ($0.keys, $0.certificates) = ([], [certificate]) }
            }
        ) { client, server in
            let error = await #expect(throws: APNSError.self) { try await client.send(Sender.push(.alert)).get() }
            #expect(error?.code == .cannotConnect && error?.remedy == .changeConfiguration)
            #expect(error?.message.contains("requires a client certificate") == true, "\(error?.message ?? "")")
            #expect(server.requests.isEmpty)
        }
        try await other.stop()
    }

    @Test func mistakesAreNamed() throws {
        let (certificate, key) = (Array(CertificateFixture.certificatePEM.utf8), Array(CertificateFixture.keyPEM.utf8))
        func message(_ body: () throws -> Void) -> String {
            (#expect(throws: APNSError.self) { try body() })?.message ?? ""
        }
        let wrong = message { _ = try ProviderCertificate(app: "a", bytes: CertificateFixture.bundle, passphrase: "x") }
        #expect(wrong.hasPrefix("bytes: is not a PKCS #12 bundle, or has another passphrase; check"))
        let alone = message { _ = try ProviderCertificate(app: "a", bytes: certificate) }
        #expect(alone.hasPrefix("bytes: contains no private key in PEM or DER"))
        let garbage = message { _ = try ProviderCertificate(app: "a", bytes: Array("no".utf8), key: key) }
        #expect(garbage.hasPrefix("bytes: contains no certificate; give a .p12 file"))
        let badKey = message { _ = try ProviderCertificate(app: "a", bytes: certificate, key: Array("no".utf8)) }
        #expect(badKey.hasPrefix("key: contains no private key"))
        let missing = message { _ = try ProviderCertificate(app: "a", path: "/nowhere.p12") }
        #expect(missing.hasPrefix("/nowhere.p12: cannot be read (No such file or directory); give the .p12 file"))
    }

    /// Goal: an incomplete PEM bundle throws an error.
    ///
    /// NIOSSL alone would end the process.
    @Test(arguments: [
        (CertificateFixture.bundleWithoutKey, "bytes: contains no private key outside its encrypted part; export"),
        (CertificateFixture.bundleWithoutCertificate, "bytes: contains no certificate; export it with"),
        (CertificateFixture.der(CertificateFixture.certificatePEM), "bytes: is not a PKCS #12 bundle, or has"),
    ])
    func aBundleThatLacksAPartIsNamed(bundle: [UInt8], words: String) {
        let error = #expect(throws: APNSError.self) {
            try ProviderCertificate(app: "a", bytes: bundle, passphrase: CertificateFixture.passphrase)
        }
        #expect(error?.code == .badConfiguration)
        #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }

    @Test func mistakesOfTheConfigurationAreNamed() throws {
        func message(
            _ certificates: [ProviderCertificate],
            keys: [SigningKey] = [],
            now: WallTime = WallTime(seconds: 1_800_000_000)
        ) -> String {
            let configuration = APNSClient.Configuration(
                endpoint: .apple(.production),
                keys: keys,
                certificates: certificates
            )
            do {
                _ = try APNSClient(
                    configuration: configuration,
                    group: MultiThreadedEventLoopGroup.singleton,
                    logger: Sender.logger,
                    metrics: MetricsRegistry(),
                    now: { now }
                )
                return "good"
            } catch {
                return "\(error)"
            }
        }
        let certificate = try Self.certificate()
        #expect(message([certificate]) == "good")
        #expect(message([]).contains("no key and no certificate is given"))
        #expect(message([certificate, certificate]).contains("two keys or certificates name \(Sender.app);"))
        var key = Sender.key
        key.apps = [Sender.app]
        #expect(message([certificate], keys: [key]).contains("two keys or certificates name \(Sender.app);"))
        #expect(message([try Self.certificate(app: "a b")]).contains("'a b' is not a bundle identifier"))
        let later = message([certificate], now: WallTime(seconds: 5_000_000_000))
        #expect(later.contains("the certificate for \(Sender.app) expired at 2126-"), "\(later)")
        let other = Array(P256.Signing.PrivateKey().pemRepresentation.utf8)
        let bytes = Array(CertificateFixture.certificatePEM.utf8)
        let mismatch = try ProviderCertificate(app: "a", bytes: bytes, key: other)
        #expect(message([mismatch]).contains("its key belongs to another certificate"))
    }
}
