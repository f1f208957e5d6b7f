internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Messages that our clients never send.
extension Town {
    func send(
        port: Int,
        _ path: String,
        _ body: [UInt8]? = nil,
        authorization: String? = nil
    ) async throws -> (status: UInt, body: String) {
        let (status, _, body) = try await self.reply(port: port, path, body, authorization: authorization)
        return (status, String(buffer: body))
    }

    /// Gets a sealed grant, and how many requests under it were answered.
    func link(port: Int, _ address: LinkAddress) async throws -> (sealed: [UInt8], uses: Int?) {
        let (status, headers, body) = try await self.reply(port: port, "/v1/links/\(address)")
        guard status == 200 else { throw TownError() }
        return (Array(buffer: body), headers.first(name: "whereabouts-uses").flatMap { Int($0) })
    }

    private func reply(
        port: Int,
        _ path: String,
        _ body: [UInt8]? = nil,
        authorization: String? = nil
    ) async throws -> (status: UInt, headers: HTTPHeaders, body: ByteBuffer) {
        var request = HTTPClientRequest(url: "https://localhost:\(port)\(path)")
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(self.path("ca.pem")))
        request.tlsConfiguration = tls
        if let body {
            request.method = .POST
            request.body = .bytes(body)
        }
        if let authorization { request.headers.add(name: "authorization", value: authorization) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return (response.status.code, response.headers, try await response.body.collect(upTo: 65_536))
    }

    /// Reports a device's progress; the device then does something that our clients never do.
    func report(
        _ progress: DeviceProgress,
        _ incoming: IncomingRequest,
        by sharer: Sharer,
        port: Int
    ) async throws {
        let (id, identity) = (incoming.request.id, sharer.profile.identity)
        let report = DeviceReport(request: id, sharer: identity.publicIdentity, progress: progress)
        let reply = try await self.send(port: port, "/v1/requests/\(id)/progress", identity.sign(report).bytes)
        guard reply.status == 204 else { throw TownError() }
    }

    func request(
        _ grant: Signed<Grant>,
        by identity: Identity,
        _ suite: Suite = .x25519,
        publicKey: [UInt8]? = nil
    ) throws -> Signed<Request> {
        var generator = SystemRandomNumberGenerator()
        let now = WallTime.now
        return try identity.sign(
            Request(
                id: RequestID(using: &generator),
                grant: grant,
                precision: grant.value.precision,
                suite: suite,
                publicKey: publicKey ?? HPKESealing().makeKey(suite: suite).publicKey,
                issued: now,
                expires: now.advanced(by: .seconds(60))
            )
        )
    }
}
