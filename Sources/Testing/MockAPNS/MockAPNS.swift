internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import WhereaboutsCertificates
public import WhereaboutsPushEngine
public import WhereaboutsPushGateway

/// A mock of Apple's push service on this machine, for tests of code that sends pushes.
///
/// It checks each request with the code of `whereabouts gateway`, which follows Apple's documentation; then its script decides the
/// outcome. It delivers nothing.
///
/// ```swift
/// let apns = try await MockAPNS()
/// apns.script = MockScript([.init(nth: 2, .reject(.unregistered))])
/// // Send a push to localhost, port apns.port, with the certificate in apns.certificatePath as a trust root.
/// let push = try await apns.nextPush()
/// #expect(push.end == .accept && push.findings.isEmpty)
/// try await apns.stop()
/// ```
public final class MockAPNS: Sendable {
    /// How a mock behaves.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; with 0 the system chooses one.
        public var port = 0
        /// Whether providers speak HTTP/2 without TLS.
        public var isCleartext = false
        /// The names and addresses in the certificate.
        public var names = ["localhost", "127.0.0.1"]
        /// The file to write the certificate to; nil: a new one in the temporary directory.
        public var certificatePath: String?
        /// The keys that may sign provider tokens; empty: every key may, if the token is well-formed.
        public var keys: [ProviderKey] = []
        /// The environment whose device tokens are accepted.
        public var environment = MockScript.Environment.production
        /// Whether to reject pushes that Apple accepts and then delays or drops (``MockPush/findings``).
        public var isStrict = false
        /// The script at the start.
        public var script = MockScript()
        /// Receives each request after it was checked; called on an event loop.
        public var onPush: @Sendable (MockPush) -> Void = { _ in }

        /// Creates the usual configuration: TLS, a free port; every key and every device token is accepted.
        public init() {}
    }

    /// The port that the mock listens on.
    public let port: Int
    /// The file with the certificate to trust, PEM; nil: the mock uses cleartext.
    public let certificatePath: String?
    /// The certificate to trust, PEM; nil: the mock uses cleartext.
    public let certificatePEM: String?

    private let host: MockHost
    private let listener: MockListener
    private let name: String
    /// The number of the last request that ``nextPush(within:)`` returned.
    private let lastNumber = Mutex(0)
    /// A directory to remove at the end.
    private let directory: URL?

    /// How long a closed connection waits for the client's side to close.
    private static let farewell = TimeAmount.milliseconds(100)
    /// How long the certificate is valid.
    private static let certificateDays = 365

    /// Starts to listen.
    ///
    /// - Throws: ``MockAPNSError`` or `GatewayError`, naming the input and the remedy.
    public init(_ configuration: Configuration = Configuration()) async throws {
        self.host = MockHost(
            script: configuration.script,
            policy: MockHost.Policy(environment: configuration.environment, isStrict: configuration.isStrict),
            now: PushGateway.systemTime,
            observe: configuration.onPush
        )
        let certificate = configuration.isCleartext ? nil : try Self.certificate(configuration.names)
        let tls = try certificate.map { (context: try Self.context($0), certificatePEM: $0.authorityPEM) }
        let file = try certificate.map { try Self.write($0.authorityPEM, to: configuration.certificatePath) }
        (self.certificatePath, self.directory) = (file?.path, file?.directory)
        self.certificatePEM = certificate?.authorityPEM
        self.name = configuration.names.first ?? configuration.host
        do {
            self.listener = try await MockListener(
                on: ListenAddress(host: configuration.host, port: configuration.port),
                mock: self.host,
                keys: configuration.keys,
                tls: tls,
                group: MultiThreadedEventLoopGroup.singleton
            )
        } catch {
            // The initialiser failed, so `deinit` will not run.
            if let directory = file?.directory { try? FileManager.default.removeItem(at: directory) }
            throw error
        }
        self.port = self.listener.port
    }

    deinit {
        if let directory { try? FileManager.default.removeItem(at: directory) }
    }

    /// The URL to send pushes to.
    public var url: String { "\(self.certificatePath == nil ? "http" : "https")://\(self.name):\(self.port)" }
    /// The URL of the mock's own HTTP API.
    public var controlURL: String { "http://\(self.name):\(self.port)/mock" }

    /// Decides how pushes end; the getter returns the current counts.
    public var script: MockScript {
        get { self.host.script }
        set { self.host.script = newValue }
    }

    /// The requests that came, the newest 10,000, in order.
    public var pushes: [MockPush] { self.host.pushes() }

    /// Waits for and returns the first request that no earlier call returned; only one caller may wait at a time.
    ///
    /// - Throws: ``MockAPNSError`` if no request comes in time.
    public func nextPush(within time: Duration = .seconds(5)) async throws -> MockPush {
        let last = self.lastNumber.withLock { $0 }
        guard let push = try await self.pushes(after: last, count: 1, within: time).first else {
            throw MockAPNSError("No push came within \(time). Check that the client sends to \(self.url).")
        }
        self.lastNumber.withLock { $0 = push.number }
        return push
    }

    /// Waits until this many requests came, or the time is over.
    ///
    /// - Returns: all requests that came, possibly more or fewer.
    public func pushes(count: Int, within time: Duration = .seconds(5)) async throws -> [MockPush] {
        try await self.pushes(after: 0, count: count, within: time)
    }

    private func pushes(after number: Int, count: Int, within time: Duration) async throws -> [MockPush] {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return try await self.host.pushes(after: number, count: count, within: TimeAmount(time), on: loop).get()
    }

    /// Forgets the script, the channels and all requests; numbers begin at 1 again.
    public func reset() {
        self.host.reset()
        self.lastNumber.withLock { $0 = 0 }
    }

    /// Closes all connections, and the port.
    public func stop() async throws {
        try await self.listener.close()
    }

    // MARK: The certificate

    private static func certificate(_ names: [String]) throws -> LoopbackCertificate {
        let hosts = try names.map { name in
            guard let host = HostName(name) else {
                throw MockAPNSError("'\(name)' is not a host name or an address. Use a name such as apns.test.")
            }
            return host
        }
        guard !hosts.isEmpty else { throw MockAPNSError("The certificate has no names. Give at least one.") }
        return try LoopbackCertificate(names: hosts, days: Self.certificateDays)
    }

    private static func context(_ certificate: LoopbackCertificate) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificatePEM.utf8))
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.keyPEM.utf8), format: .pem))
        )
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        tls.shutdownTimeout = Self.farewell
        return try NIOSSLContext(configuration: tls)
    }

    private static func write(_ pem: String, to path: String?) throws -> (path: String, directory: URL?) {
        let files = FileManager.default
        let directory = path == nil ? files.temporaryDirectory.appending(path: "mock-apns-\(UUID())") : nil
        let file = path ?? directory?.appending(path: "certificate.pem").path(percentEncoded: false) ?? ""
        do {
            if let directory { try files.createDirectory(at: directory, withIntermediateDirectories: true) }
            try Data(pem.utf8).write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw MockAPNSError("\(file): cannot be written. Choose a file in a directory that this user may write.")
        }
        return (file, directory)
    }
}
