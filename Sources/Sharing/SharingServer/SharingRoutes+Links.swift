internal import Hummingbird
internal import NIOCore
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Links: their sharers post them, and everybody who has one reads the sealed grant.
extension SharingRoutes {
    func postLink(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.link, context) {
            switch try await self.host.post(self.verified(request).verified, from: context.address) {
            case .decided(.confirm): return Response(status: .noContent)
            case .decided(.refuseEnd):
                let days = SharingPolicy.linkLifetimeMax / .seconds(86_400)
                throw Failure(
                    .badRequest,
                    .end,
                    "The link has ended already, or ends more than \(Int(days)) days ahead. Make one for a shorter time."
                )
            case .decided(.revoked):
                throw Failure(.forbidden, .removed, "The link was revoked. Make another one.")
            case .decided(.taken):
                throw Failure(.conflict, .conflict, "There is another link at this address. Make another one.")
            case .decided(.refuse):
                throw Failure(
                    .tooManyRequests,
                    .count,
                    "This person has \(SharingPolicy.linksPerSharerMax) links, the most that are kept. Revoke one first."
                )
            case .decided(.full): throw Failure.full
            case .tooSoon(let until): throw Failure.address(until)
            }
        }
    }

    func link(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.linkRead, context) {
            let address = context.parameters.get("id").flatMap { LinkAddress($0) }
            switch try await self.host.link(address, from: context.address) {
            case .decided(let link?):
                return Response(
                    status: .ok,
                    headers: [.contentType: "application/octet-stream", .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: link.sealed))
                )
            case .decided(nil):
                throw Failure(
                    .notFound,
                    .unknown,
                    "There is no such link: it has ended or was revoked, it is incomplete, or its password is wrong."
                )
            case .tooSoon(let until):
                throw Failure(
                    .tooManyRequests,
                    .address,
                    "Too many links that do not exist were opened from your network. Try again later.",
                    until: until
                )
            }
        }
    }
}
