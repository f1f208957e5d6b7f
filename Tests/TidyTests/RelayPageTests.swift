internal import Testing

/// Goal: the relay's page lists the answers and metrics of the code.
@Suite struct RelayPageTests {
    /// The raw values of an enumeration's cases.
    static func values(in text: String) -> [String] {
        text.matches(of: /\n    case (\w+)(?: = "(\w+)")?/.matchingSemantics(.unicodeScalar))
            .map { String($0.output.2 ?? $0.output.1) }
    }

    @Test func everyWordAndMetricIsThere() throws {
        let page = try SourceTree.file("docs/relay.md").text
        let words = Self.values(in: try SourceTree.file("Sources/Push/APNS/RelayWord.swift").text).filter {
            $0 != "unknown"
        }
        let refusals = Self.values(in: try SourceTree.file("Sources/Push/PushEngine/Relay/RelayRefusal.swift").text)
        let metrics = try SourceTree.file("Sources/Push/PushGateway/GatewayMetrics.swift").text
        let names = metrics.matches(of: /"(?:whereabouts_gateway_)?(relay_\w+)"/.matchingSemantics(.unicodeScalar))
            .map { "whereabouts_gateway_\($0.output.1)" }
        #expect(words.count > 8 && refusals.count > 5 && names.count > 3)
        let missing = (words + refusals).filter { !page.contains("`\($0)`") } + names.filter { !page.contains($0) }
        #expect(missing.isEmpty, "docs/relay.md does not name \(missing)")
    }

    @Test func valuesAreRead() {
        #expect(Self.values(in: "enum A {\n    /// A.\n    case a\n    case bC = \"b_c\"\n}\n") == ["a", "b_c"])
    }
}
