internal import Foundation
internal import NIOCore
internal import NIOHTTP1

/// Answers HTTP requests with JSON, one on each connection.
final class JSONRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// An answer: its status, and its body.
    struct Answer: Sendable {
        let status: HTTPResponseStatus
        let body: Data
        let contentType: String

        init(_ status: HTTPResponseStatus, _ body: some Encodable) throws {
            self.init(status, body: try JSONEncoder.ofAnswers.encode(body))
        }

        init(_ status: HTTPResponseStatus, body: Data, contentType: String = "application/json") {
            self.status = status
            self.body = body
            self.contentType = contentType
        }
    }

    /// A request of an operator or a test.
    struct Request: Sendable {
        let method: HTTPMethod
        let path: [String]
        let query: [URLQueryItem]
        let body: Data
        let eventLoop: any EventLoop
    }

    /// The maximum number of bytes of a body: a key with the names of about a hundred apps, or a mock's script.
    private static let bodyBytesMax = 65_536

    private let answer: @Sendable (Request) async throws -> Answer
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()

    init(_ answer: @escaping @Sendable (Request) async throws -> Answer) {
        self.answer = answer
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
                body: Data(self.body.readableBytesView),
                eventLoop: context.eventLoop
            )
            let answer = self.answer
            let answered = context.eventLoop.makeFutureWithTask { try await answer(request) }
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

    private func write(_ result: Result<Answer, any Error>, version: HTTPVersion, context: ChannelHandlerContext) {
        let failure = Answer(.serviceUnavailable, body: Data(#"{"reason":"the gateway cannot answer now"}"#.utf8))
        let answer = (try? result.get()) ?? failure
        let headers: HTTPHeaders = [
            "content-type": answer.contentType, "content-length": "\(answer.body.count)", "connection": "close",
        ]
        let head = HTTPResponseHead(version: version, status: answer.status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
        // One request per connection: a kept connection would reach this gateway even after another one listens here.
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }
}
