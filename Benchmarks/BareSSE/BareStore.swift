internal import Foundation
internal import GRDB
internal import Hummingbird
internal import NIOCore

/// The least that a durable server does for a request and its answer.
///
/// Each of the three posts is a transaction that is on disk before its reply, as in the sharing server: the request, its push, its
/// answer. The client posts the push, which the sharing server would send.
struct BareStore: Sendable {
    /// The bytes of a signed request in the default suite, without the zeros behind it.
    private static let requestByteCount = 1514
    /// The bytes of a request's states in JSON, as the sharing server writes them again with each change.
    private static let history = Data(repeating: 0x20, count: 256)

    private let database: DatabasePool

    init(path: String) throws {
        self.database = try DatabasePool(path: path)
        // GRDB sets NORMAL when it turns WAL on.
        try self.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try self.database.write { database in
            try database.execute(
                sql: "CREATE TABLE request (id TEXT PRIMARY KEY NOT NULL, signed BLOB, history BLOB, answer BLOB)"
            )
        }
    }

    func serve(on router: Router<BasicRequestContext>, _ board: Board) {
        router.post("v1/requests/:id") { request, context in
            let (id, body) = try await Self.read(request, context)
            let sql = "INSERT INTO request (id, signed, history) VALUES (?, ?, ?)"
            let signed = body.prefix(Self.requestByteCount)
            try await self.database.write { try $0.execute(sql: sql, arguments: [id, signed, Self.history]) }
            return Self.reply(.accepted, "{\"id\":\"\(id)\"}")
        }
        router.post("v1/requests/:id/push") { request, context in
            let (id, _) = try await Self.read(request, context)
            let sql = "UPDATE request SET history = ? WHERE id = ?"
            try await self.database.write { try $0.execute(sql: sql, arguments: [Self.history, id]) }
            return Self.reply(.ok, "{}")
        }
        router.post("v1/requests/:id/answer") { request, context in
            let (id, answer) = try await Self.read(request, context)
            let sql = "UPDATE request SET history = ?, answer = ? WHERE id = ?"
            try await self.database.write { try $0.execute(sql: sql, arguments: [Self.history, answer, id]) }
            board.show(Self.event(answer), to: id)
            return Self.reply(.ok, "{\"pending\":[],\"state\":\"answered\"}")
        }
        router.get("v1/requests/:id/events") { _, context in
            let id = context.parameters.get("id") ?? ""
            let events = board.look(at: id)
            // The answer may have come before the reader connected.
            let sql = "SELECT answer FROM request WHERE id = ?"
            let answer = try await self.database.read { try Data.fetchOne($0, sql: sql, arguments: [id]) }
            if let answer { board.show(Self.event(answer), to: id) }
            return Response(
                status: .ok,
                headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    defer { board.leave(id) }
                    // The head leaves with the first bytes.
                    try await writer.write(ByteBuffer(string: ":\n\n"))
                    if let event = await events.first(where: { _ in true }) { try await writer.write(event) }
                    try await writer.finish(nil)
                }
            )
        }
    }

    private static func read(
        _ request: Request,
        _ context: BasicRequestContext
    ) async throws -> (id: String, body: Data) {
        let body = try await request.body.collect(upTo: 4096)
        return (context.parameters.get("id") ?? "", Data(body.readableBytesView))
    }

    /// An event with an answer, in the form of the sharing server's.
    private static func event(_ answer: Data) -> ByteBuffer {
        let text = answer.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        return ByteBuffer(string: "data: {\"answer\":\"\(text)\"}\n\n")
    }

    private static func reply(_ status: HTTPResponse.Status, _ json: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: json))
        )
    }
}
