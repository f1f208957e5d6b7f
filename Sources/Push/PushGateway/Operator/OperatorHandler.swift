internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import WhereaboutsAPNS
internal import WhereaboutsJSONReading
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Answers the questions and orders of an operator, one after the other.
final class OperatorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// An answer: its status, and its body in JSON.
    private struct Answer: Sendable {
        let status: HTTPResponseStatus
        let body: Data

        init(_ status: HTTPResponseStatus, _ body: some Encodable) throws {
            self.status = status
            self.body = try JSONEncoder.ofAnswers.encode(body)
        }
    }

    /// A question or an order.
    private struct Request: Sendable {
        let method: HTTPMethod
        let path: [String]
        let query: [URLQueryItem]
        let body: Data
    }

    /// A key to be added, as `PUT /keys` has it.
    private struct NewKey: Decodable {
        let teamID: String
        let keyID: String
        let publicKey: String
        let apps: [String]
        let relayedADay: Int?
    }

    /// The most bytes of an order: a key with the names of some hundred apps.
    private static let bodyBytesMax = 65_536
    private static let notHex = ["reason": "a device's key is 64 hexadecimal digits"]

    private let gateway: PushGateway
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ gateway: PushGateway) {
        self.gateway = gateway
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            self.body.clear()
        case .body(var bytes):
            guard self.body.readableBytes + bytes.readableBytes <= Self.bodyBytesMax else {
                return context.close(promise: nil)
            }
            self.body.writeBuffer(&bytes)
        case .end:
            guard let head = self.head else { return }
            self.head = nil
            let address = URLComponents(string: head.uri)
            let request = Request(
                method: head.method,
                path: (address?.path ?? "").split(separator: "/").map(String.init),
                query: address?.queryItems ?? [],
                body: Data(self.body.readableBytesView)
            )
            let gateway = self.gateway
            let answered = context.eventLoop.makeFutureWithTask { try await Self.answer(request, gateway) }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            answered.whenComplete { result in
                let (handler, context) = bound.value
                handler.write(result, version: head.version, context: context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private static func answer(_ request: Request, _ gateway: PushGateway) async throws -> Answer {
        do {
            return try await Self.result(of: request, gateway)
        } catch let error as GatewayError {
            return try Answer(.badRequest, ["reason": error.message])
        } catch is DecodingError {
            return try Answer(.badRequest, ["reason": "the order's JSON has not the members that are due"])
        } catch let rejection as Rejection where rejection.reason == .badDeviceToken {
            let isDevice = request.path.first == "devices"
            let words = isDevice ? "no such device is here, nor has tokens" : "no such token is registered"
            return try Answer(.badRequest, ["reason": words])
        } catch {
            return try Answer(.serviceUnavailable, ["reason": Self.words(error)])
        }
    }

    /// The reason why an order that is right was not carried out.
    static func words(_ error: any Error) -> String {
        if let rejection = error as? Rejection {
            switch rejection.reason {
            case .shutdown: return "the gateway is ending"
            case .internalServerError: return "the gateway's database did not take it; the log says why"
            default: return "the gateway cannot answer now"
            }
        }
        let cause = SQLitePushStore.cause(error)
        guard !cause.isEmpty else { return "the gateway cannot answer now" }
        return "the gateway's database did not take it\(cause); see to its disk, and ask again"
    }

    private static func result(of request: Request, _ gateway: PushGateway) async throws -> Answer {
        let path = request.path
        switch (request.method, path.first, path.count) {
        case (.GET, "status", 1): return try Answer(.ok, await gateway.status())
        case (.GET, "pushes", 2): return try Answer(.ok, await gateway.trace(apnsID: path[1]))
        case (.GET, "devices", 1):
            let after = request.query.first { $0.name == "after" }?.value
            guard let key = after.map(Self.key) else { return try Answer(.ok, await gateway.devices()) }
            guard let key else { return try Answer(.badRequest, Self.notHex) }
            return try Answer(.ok, await gateway.devices(after: key))
        case (.DELETE, "devices", 2):
            guard let key = Self.key(path[1]) else { return try Answer(.badRequest, Self.notHex) }
            try await gateway.remove(key)
            return try Answer(.ok, ["removed": path[1]])
        case (.GET, "devices", 3) where path[2] == "tokens":
            guard let key = Self.key(path[1]) else { return try Answer(.badRequest, Self.notHex) }
            return try Answer(.ok, await gateway.tokens(of: key))
        case (.DELETE, "tokens", 2):
            guard let token = DeviceToken(hex: path[1]) else {
                return try Answer(.badRequest, ["reason": "a token is an even number of hexadecimal digits"])
            }
            try await gateway.remove(token)
            return try Answer(.ok, ["removed": path[1]])
        case (.GET, "senders", 1): return try Answer(.ok, await gateway.senders())
        case (.GET, "keys", 1): return try Answer(.ok, gateway.keys)
        case (.PUT, "keys", 1):
            let new = try JSONReader().decode(NewKey.self, from: request.body)
            let key = try ProviderKey(
                teamID: new.teamID,
                keyID: new.keyID,
                publicKeyPEM: new.publicKey,
                apps: new.apps,
                relayedADay: new.relayedADay
            )
            var words = ["added": key.name]
            words["warning"] = try gateway.add(key)
            return try Answer(.ok, words)
        case (.DELETE, "keys", 2...3):
            var words = ["removed": path.dropFirst().joined(separator: ":")]
            words["warning"] = try gateway.removeKeys(teamID: path[1], keyID: path.count == 3 ? path[2] : nil)
            return try Answer(.ok, words)
        default:
            return try Answer(
                .notFound,
                [
                    "reason":
                        "there are /status, /pushes/APNS-ID, /devices, /devices/KEY/tokens, /tokens/TOKEN, /keys and "
                        + "/senders"
                ]
            )
        }
    }

    private static func key(_ text: String) -> DeviceKey? {
        Hex.bytes(of: text).flatMap { $0.count == 32 ? DeviceKey(bytes: $0) : nil }
    }

    private func write(_ result: Result<Answer, any Error>, version: HTTPVersion, context: ChannelHandlerContext) {
        let status = (try? result.get().status) ?? .serviceUnavailable
        let body = (try? result.get().body) ?? Data(#"{"reason":"the gateway cannot answer now"}"#.utf8)
        let headers: HTTPHeaders = [
            "content-type": "application/json", "content-length": "\(body.count)", "connection": "close",
        ]
        let head = HTTPResponseHead(version: version, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        // One order a connection: a kept one would go on asking this gateway when another listens here.
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }
}
