internal import Foundation
internal import NIOCore
internal import NIOEmbedded
internal import NIOSSL
internal import Testing
internal import WhereaboutsCertificates
internal import WhereaboutsNetworkSupport

/// Tests for a certificate that is renewed while a server runs.
struct ServerCertificateTests {
    private let place: URL

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.place, withIntermediateDirectories: false)
    }

    private func path(_ name: String) -> String { self.place.appending(path: name).path(percentEncoded: false) }

    /// Issues a certificate from a new authority, and writes it to the server's path.
    private func issue(keyIsAnothers: Bool = false) throws {
        let issued = try LoopbackCertificate()
        let other = try LoopbackCertificate()
        try Data(issued.certificatePEM.utf8).write(to: URL(filePath: self.path("tls.pem")))
        try Data((keyIsAnothers ? other : issued).keyPEM.utf8).write(to: URL(filePath: self.path("tls.key")))
    }

    private func certificate() throws -> ServerCertificate {
        try ServerCertificate(chainPath: self.path("tls.pem"), keyPath: self.path("tls.key"))
    }

    /// The certificate of a new handshake.
    private func shown(by tls: TLSConfiguration) throws -> NIOSSLCertificateSource? {
        let promise = EmbeddedEventLoop().makePromise(of: NIOSSLContextConfigurationOverride.self)
        let callback = try #require(tls.sslContextCallback)
        callback(NIOSSLClientExtensionValues(serverHostname: nil), promise)
        return try promise.futureResult.wait().certificateChain?.first
    }

    /// The error of a failed renewal; nil if it succeeds.
    private func failure(of certificate: ServerCertificate) -> String? {
        do {
            try certificate.reload()
            return nil
        } catch {
            return error.description
        }
    }

    @Test func handshakesAfterARenewalGetTheNewOne() throws {
        defer { try? FileManager.default.removeItem(at: self.place) }
        try self.issue()
        let certificate = try self.certificate()
        let tls = certificate.configuration(protocols: ["h2"], minimum: .tlsv13)
        let listener = try ServerCertificate.Listener(certificate, protocols: ["h2"])
        let first = (tls: try self.shown(by: tls), listener: listener.context)
        try self.issue()
        #expect(try self.shown(by: tls) == first.tls && listener.context === first.listener)
        try certificate.reload()
        #expect(try self.shown(by: tls) != first.tls && tls.applicationProtocols == ["h2"])
        let renewed = listener.context
        #expect(renewed !== first.listener && renewed === listener.context)
    }

    @Test func oneThatCannotBeUsedIsNamedAndTheOneBeforeStays() throws {
        defer { try? FileManager.default.removeItem(at: self.place) }
        try self.issue()
        let certificate = try self.certificate()
        let tls = certificate.configuration(protocols: [], minimum: .tlsv13)
        let listener = try ServerCertificate.Listener(certificate)
        let first = (tls: try self.shown(by: tls), listener: listener.context)
        try self.issue(keyIsAnothers: true)
        #expect(self.failure(of: certificate)?.contains("is not the key of the first certificate") == true)
        try FileManager.default.removeItem(atPath: self.path("tls.key"))
        #expect(self.failure(of: certificate)?.hasPrefix(self.path("tls.key")) == true)
        try Data("nothing".utf8).write(to: URL(filePath: self.path("tls.pem")))
        #expect(self.failure(of: certificate)?.hasPrefix(self.path("tls.pem")) == true)
        #expect(try self.shown(by: tls) == first.tls && listener.context === first.listener)
    }
}
