internal import Foundation
internal import Hummingbird
internal import NIOCore
internal import Sharing
internal import SharingEngine
internal import Vocabulary

/// How bodies are read and replies are written.
extension SharingRoutes {
    /// An error that the client may read.
    struct Failure: Error {
        let status: HTTPResponse.Status
        let message: String

        init(_ status: HTTPResponse.Status, _ message: String) {
            self.status = status
            self.message = message
        }

        /// The same for a request that is not there and for one of somebody else.
        static let unknown = Failure(
            .notFound,
            "There is no such request, or it is not yours: ask again, and sign with the key of the home."
        )

        /// A request that is not let in.
        static let refused = Failure(
            .forbidden,
            "The request is refused: it needs a grant that holds, from a sharer who is registered here, "
                + "for the identity that asks."
        )
    }

    /// Reads a body that is one signed message.
    func read<Value: Signable>(_ request: Hummingbird.Request) async throws -> Signed<Value> {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.bodyByteCountMax)
        } catch is NIOTooManyBytesError {
            throw Failure(
                .contentTooLarge,
                "the body is too long: at most \(Self.bodyByteCountMax) bytes are due; send one message"
            )
        }
        do {
            return try Signed<Value>(bytes: Array(buffer.readableBytesView))
        } catch let error as SharingError {
            throw Failure(.badRequest, error.message)
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
            throw Failure(.forbidden, error.message)
        }
    }

    /// Turns what `body` throws into a reply.
    func reply(_ body: () async throws -> Response) async -> Response {
        do {
            return try await body()
        } catch let failure as Failure {
            return Self.rejection(failure)
        } catch {
            // The store's errors name rows; they are for the log of the host, not for a client.
            return Self.rejection(Failure(.serviceUnavailable, "the server cannot store anything now; try again later"))
        }
    }

    private static func rejection(_ failure: Failure) -> Response {
        (try? self.json(failure.status, Wire.Rejected(error: failure.message))) ?? Response(status: failure.status)
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
