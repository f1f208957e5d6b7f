internal import Foundation
internal import Hummingbird
internal import NIOCore
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// How bodies are read and replies are written.
extension SharingRoutes {
    /// An error that the client may read.
    struct Failure: Error {
        let status: HTTPResponse.Status
        /// How it is counted; nil when it was counted where it was decided.
        let reason: ServerMetrics.Reason?
        let message: String
        /// When to come back, if the server knows.
        let until: WallTime?

        init(
            _ status: HTTPResponse.Status,
            _ reason: ServerMetrics.Reason?,
            _ message: String,
            until: WallTime? = nil
        ) {
            self.status = status
            self.reason = reason
            self.message = message
            self.until = until
        }

        /// The same for a request that is not there and for one of somebody else.
        static let unknown = Failure(
            .notFound,
            .unknown,
            "There is no such request, or it is not yours: ask again, and sign with the key of the profile."
        )

        /// A request that is not let in.
        static let refused = Failure(
            .forbidden,
            nil,
            "Refused. Your permission may have expired or been revoked. Ask them for a new one."
        )

        /// A grant that has not ended, of a sharer without a device.
        static let unregistered = Failure(
            .forbidden,
            nil,
            "Their device has not registered with this server yet. Ask them to open the app that shares their location and to "
                + "allow it Always. It then registers by itself, and again within 15 minutes if the server lost its database."
        )

        /// A request with the ID of another one of the same requester.
        static let conflict = Failure(
            .conflict,
            nil,
            "Another of your requests has this ID. A request is the bytes that you signed: post the same bytes again, "
                + "or ask with a new ID."
        )

        /// A store that has no room for the kind of statement.
        static let full = Failure(.serviceUnavailable, .room, "the server has no room for that now; try again later")

        /// An address that has left as much as it may within the window.
        static func address(_ until: WallTime) -> Failure {
            Failure(
                .tooManyRequests,
                .address,
                "too many registrations, links and revocations came from your network; try again later",
                until: until
            )
        }
    }

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

    /// Turns what `body` throws into a reply, and counts it.
    func reply(
        _ subject: ServerMetrics.Subject,
        _ context: ServerContext,
        _ body: () async throws -> Response
    ) async -> Response {
        var response = await self.answer(subject, context, body)
        if let field = HTTPFields.Element.Name(ServerReply.databaseField) { response.headers[field] = self.database }
        return response
    }

    private func answer(
        _ subject: ServerMetrics.Subject,
        _ context: ServerContext,
        _ body: () async throws -> Response
    ) async -> Response {
        do {
            let response = try await body()
            // A signed message that was accepted shows a key, and no more: its author may be alone.
            self.connections.showed(.proven, context.channel)
            // Requests and streams are counted where they are decided about.
            if subject != .request, subject != .stream { self.metrics.took(subject) }
            return response
        } catch let failure as Failure {
            if let reason = failure.reason { self.metrics.refused(subject, reason) }
            return Self.rejection(failure)
        } catch {
            self.metrics.refused(subject, .store)
            self.health.failed(error)
            return Self.rejection(
                Failure(.serviceUnavailable, nil, "the server cannot store anything now; try again later")
            )
        }
    }

    private static func rejection(_ failure: Failure) -> Response {
        let words = Wire.Rejected(error: failure.message, until: failure.until)
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
