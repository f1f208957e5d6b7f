internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import PushEngine
internal import Vocabulary

/// Answers the questions and orders of an operator, one after the other.
final class OperatorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// An answer: its status, and its body in JSON.
    private struct Answer: Sendable {
        let status: HTTPResponseStatus
        let body: Data

        init(_ status: HTTPResponseStatus, _ body: some Encodable) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            self.status = status
            self.body = try encoder.encode(body)
        }
    }

    private let gateway: PushGateway
    private var head: HTTPRequestHead?

    init(_ gateway: PushGateway) {
        self.gateway = gateway
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head = self.head else { return }
            self.head = nil
            let gateway = self.gateway
            let answered = context.eventLoop.makeFutureWithTask { try await Self.answer(head, gateway) }
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

    private static func answer(_ head: HTTPRequestHead, _ gateway: PushGateway) async throws -> Answer {
        let address = URLComponents(string: head.uri)
        let path = (address?.path ?? "").split(separator: "/").map(String.init)
        switch (head.method, path.first, path.count) {
        case (.GET, "status", 1): return try Answer(.ok, await gateway.status())
        case (.GET, "pushes", 2): return try Answer(.ok, await gateway.trace(apnsID: path[1]))
        case (.GET, "devices", 1):
            let after = address?.queryItems?.first { $0.name == "after" }?.value
            guard let key = after.map(Self.key) else { return try Answer(.ok, await gateway.devices()) }
            guard let key else { return try Answer(.badRequest, ["reason": "a device's key is 64 hexadecimal digits"]) }
            return try Answer(.ok, await gateway.devices(after: key))
        case (.DELETE, "devices", 2):
            guard let key = Self.key(path[1]) else {
                return try Answer(.badRequest, ["reason": "a device's key is 64 hexadecimal digits"])
            }
            try await gateway.remove(key)
            return try Answer(.ok, ["removed": path[1]])
        default: return try Answer(.notFound, ["reason": "there are /status, /pushes/APNS-ID and /devices"])
        }
    }

    private static func key(_ text: String) -> DeviceKey? {
        Hex.bytes(of: text).flatMap { $0.count == 32 ? DeviceKey(bytes: $0) : nil }
    }

    private func write(_ result: Result<Answer, any Error>, version: HTTPVersion, context: ChannelHandlerContext) {
        let status = (try? result.get().status) ?? .serviceUnavailable
        let body = (try? result.get().body) ?? Data(#"{"reason":"the gateway cannot answer now"}"#.utf8)
        let headers: HTTPHeaders = ["content-type": "application/json", "content-length": "\(body.count)"]
        let head = HTTPResponseHead(version: version, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}
