internal import Foundation
internal import Testing

/// Goal: the sharing server's OpenAPI document lists exactly the requests of its router; `dev/openapi` compares the
/// replies.
@Suite struct SharingAPITests {
    /// The requests in the source of the router, as `post /v1/devices`.
    static func routes(in source: String) -> [String] {
        source.matches(of: /router\.(get|post)\("([^"]+)"\)/).map { match in
            "\(match.output.1) /\(match.output.2.replacing(":id", with: "{id}"))"
        }
    }

    /// The requests of a document: a path is indented by two, its methods by four.
    static func requests(in document: String) -> [String] {
        var path = Substring()
        return document.split(separator: "\n").compactMap { line in
            if let match = line.wholeMatch(of: /\ \ (\/v1\/[^:]+):/) { path = match.output.1 }
            guard let match = line.wholeMatch(of: /\ {4}(get|post|put|patch|delete):/) else { return nil }
            return "\(match.output.1) \(path)"
        }
    }

    @Test func theDocumentNamesTheRequestsThatAreTaken() throws {
        let routes = try ["SharingRoutes", "SharingRoutes+Responders"].flatMap {
            Self.routes(in: try SourceTree.file("Sources/Sharing/SharingServer/\($0).swift").text)
        }
        let requests = Self.requests(in: try SourceTree.file("docs/protocol/sharing-openapi.yaml").text)
        #expect(routes.count > 5 && routes.sorted() == requests.sorted())
    }

    @Test func readersSeeWhatTheyAreFor() {
        #expect(Self.routes(in: "router.post(\"v1/a/:id/b\") { }\nother.get(\"v1/c\")") == ["post /v1/a/{id}/b"])
        #expect(
            Self.requests(in: "paths:\n  /v1/a:\n    post:\n      get: no\n    get:\n  /v1/b:\n    post:\n")
                == ["post /v1/a", "get /v1/a", "post /v1/b"]
        )
    }
}
