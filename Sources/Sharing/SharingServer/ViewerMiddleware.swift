internal import Hummingbird
internal import NIOCore

/// Serves the page of a link, before a router or a log sees the path.
///
/// A mail gateway may change the `#` of a link into `%23`. Then the link's key is in the path. So the path after `/see` is not stored,
/// logged or counted, and the reply is a page that moves the key back.
struct ViewerMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let tiles: TileService?

    @concurrent func handle(
        _ request: Hummingbird.Request,
        context: ServerContext,
        next: @concurrent (Hummingbird.Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard request.method == .get, path.hasPrefix("/see") else { return try await next(request, context) }
        switch path.dropFirst("/see".count).first {
        case nil: return Self.reply(.ok, ViewerPage.see, self.tiles)
        case "%": return Self.reply(.badRequest, ViewerPage.repair, nil)
        default: return try await next(request, context)
        }
    }

    private static func reply(_ status: HTTPResponse.Status, _ page: ViewerPage, _ tiles: TileService?) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy: page.policy(tiles), .xContentTypeOptions: "nosniff",
        ]
        for (name, value) in Self.fields {
            guard let name = HTTPFields.Element.Name(name) else { preconditionFailure("\(name) is not a field name") }
            headers[name] = value
        }
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.html))
        )
    }

    private static let fields = [
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-robots-tag", "noindex, nofollow"),
    ]
}
