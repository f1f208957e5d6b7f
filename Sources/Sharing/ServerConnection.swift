internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Speaks HTTP with the sharing server, over connections that the process keeps.
struct ServerConnection: Sendable {
    /// The largest body that a server may answer with: 16 pending requests, or one event, with room.
    static let responseByteCountMax = 64 * 1024

    /// How long a post may take.
    private static let patience: TimeAmount = .seconds(10)

    private let server: String
    private let tls: TLSConfiguration

    init(settings: ServerSettings) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let path = settings.trustRoots {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            } catch {
                throw SharingError(
                    .badHome,
                    "\(path) cannot be used as trust roots: certificates in PEM are due; "
                        + "give the authority that signed the server's certificate"
                )
            }
        }
        self.server = settings.server
        self.tls = tls
    }

    /// Posts bytes and reads the whole answer; what is posted may arrive more than once.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - body: the bytes.
    /// - Returns: the status and the body.
    /// - Throws: ``SharingError`` when there is no answer within ``patience``, a few attempts included.
    func post(_ path: String, _ body: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        var request = self.request(path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/octet-stream")
        request.body = .bytes(body)
        let deadline = NIODeadline.now() + Self.patience
        while true {
            do {
                let response = try await HTTPClient.shared.execute(request, deadline: deadline)
                let buffer = try await response.body.collect(upTo: Self.responseByteCountMax)
                return (Int(response.status.code), Array(buffer.readableBytesView))
            } catch {
                // The client itself tries to connect until the deadline; this is for connections that break later.
                guard !Task.isCancelled, NIODeadline.now() < deadline else { throw self.unreachable(error) }
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    /// Reads a stream of server-sent events, each as the bytes after `data: `, until the server ends it.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - authorization: the header's value.
    ///   - handle: called for each event.
    /// - Returns: the status.
    /// - Throws: when the connection breaks, or what `handle` throws.
    func events(_ path: String, authorization: String, _ handle: ([UInt8]) async throws -> Void) async throws -> Int {
        var request = self.request(path)
        request.headers.add(name: "authorization", value: authorization)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        guard response.status == .ok else { return Int(response.status.code) }
        var line: [UInt8] = []
        for try await buffer in response.body {
            for byte in buffer.readableBytesView {
                guard byte == UInt8(ascii: "\n") else {
                    guard line.count < Self.responseByteCountMax else {
                        throw SharingError(.network, "\(self.server) sent an event that is too long; check the address")
                    }
                    line.append(byte)
                    continue
                }
                if line.starts(with: "data: ".utf8) { try await handle(Array(line.dropFirst("data: ".utf8.count))) }
                line.removeAll(keepingCapacity: true)
            }
        }
        return Int(response.status.code)
    }

    /// Says that the server could not be reached, and why.
    func unreachable(_ error: any Error) -> SharingError {
        SharingError(
            .network,
            "\(self.server) cannot be reached (\(error)): a sharing server over TLS is due there; "
                + "check the address, the network and the trust roots"
        )
    }

    /// Says what the server found wrong.
    func rejected(_ response: (status: Int, body: [UInt8])) -> SharingError {
        let rejected = try? JSONDecoder().decode(Wire.Rejected.self, from: Data(response.body))
        return SharingError(
            .refused,
            rejected?.error
                ?? "\(self.server) answered with status \(response.status): no sharing server does; check the address"
        )
    }

    private func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: self.server + path)
        request.tlsConfiguration = self.tls
        return request
    }
}
