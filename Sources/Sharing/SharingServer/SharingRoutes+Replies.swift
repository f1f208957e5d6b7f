internal import Foundation
internal import Hummingbird
internal import NIOCore
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// How bodies are read and responses are written.
extension SharingRoutes {
    /// Reads a body that is one signed message.
    func read<Value: Signable>(
        _ request: Hummingbird.Request,
        _ decode: ([UInt8]) throws -> Signed<Value> = Signed<Value>.init(bytes:)
    ) async throws -> Signed<Value> {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.bodyByteCountMax)
        } catch is NIOTooManyBytesError {
            throw Failure(
                .contentTooLarge,
                .size,
                "the body is too long: send one message, of at most \(Self.bodyByteCountMax) bytes"
            )
        }
        do {
            return try decode(Array(buffer.readableBytesView))
        } catch let error as SharingError {
            throw Failure(.badRequest, .malformed, error.message)
        }
    }

    /// Reads a body that is one signed message, and checks the signature.
    func verified<Value: Signable>(
        _ request: Hummingbird.Request
    ) async throws -> (verified: Verified<Value>, bytes: [UInt8]) {
        let signed: Signed<Value> = try await self.read(request)
        do {
            return (try signed.verified(), signed.bytes)
        } catch let error as SharingError {
            throw Failure(.forbidden, .signature, error.message)
        }
    }

    /// Turns an error of `body` into a reply, and counts it.
    func reply(
        _ subject: ServerMetrics.Subject,
        _ context: ServerContext,
        _ body: () async throws -> Response
    ) async -> Response {
        var response = await self.answer(subject, context, body)
        if let field = HTTPFields.Element.Name(ServerReply.databaseField) {
            response.headers[field] = self.database.value.description
        }
        return response
    }

    private func answer(
        _ subject: ServerMetrics.Subject,
        _ context: ServerContext,
        _ body: () async throws -> Response
    ) async -> Response {
        do {
            let response = try await body()
            // A request that was accepted before is not counted again.
            if subject != .request { self.metrics.took(subject) }
            return response
        } catch {
            let failure = error as? Failure ?? .failed
            self.metrics.refused(subject, failure.reason)
            return Self.rejection(failure)
        }
    }

    /// Turns a reply into its response, and records the trust that the connection has earned.
    func response(to reply: SharingCore.Reply, _ context: ServerContext) throws -> Response {
        let response = try Self.response(to: reply)
        self.connections.showed(reply.trust, context.channel)
        return response
    }

    private static func rejection(_ failure: Failure) -> Response {
        let words = Wire.Rejected(error: failure.message, until: failure.until, rule: failure.rule)
        return (try? self.json(failure.status, words)) ?? Response(status: failure.status)
    }

    static func json(_ status: HTTPResponse.Status, _ value: some Encodable) throws -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try self.encode(value)))
        )
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}
