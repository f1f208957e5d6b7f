internal import Foundation
internal import Testing

@testable internal import formal

/// Runs the queries of `make formal`.
@Suite struct FormalTests {
    @Test(.timeLimit(.minutes(2)), arguments: QueryList.all.map(\.name)) func everyQueryHasItsResult(
        name: String
    ) throws {
        let query = try #require(QueryList.all.first { $0.name == name })
        let result = QueryResult(query)
        #expect(result.isAsExpected, "\(result)")
    }

    /// Goal: a search that finds no error because it visits no state is noticed.
    @Test func theExplorerVisitsEveryState() {
        #expect(Explorer.search(from: Counter(number: 0)) { $0.number > 9 } == .absent(states: 10))
        #expect(Explorer.search(from: Counter(number: 0)) { $0.number == 2 } == .found(["1", "2"], states: 3))
    }

    @Test func aMutationOfEachRuleIsTried() {
        #expect(QueryList.all.count { $0.kind == .mutation } == Setting.Rule.allCases.count)
    }

    /// Goal: the protocol's page claims exactly what the search explores.
    @Test func theProtocolPageNamesEveryQuery() throws {
        let path = URL(filePath: #filePath).appending(path: "../../../docs/protocol/sharing.md").standardized
        let page = try String(contentsOf: path, encoding: .utf8)
        for query in QueryList.all where [.property, .limit].contains(query.kind) {
            #expect(page.contains("`\(query.name)`"), "docs/protocol/sharing.md does not name \(query.name)")
        }
    }

    @Test func everyQueryHasANameOfItsOwn() {
        #expect(Set(QueryList.all.map(\.name)).count == QueryList.all.count)
    }

    private struct Counter: ExploredWorld {
        let number: Int
        var moves: [Move<Counter>] {
            [self.number + 1, 0].filter { $0 < 10 }.map { Move(words: "\($0)", world: Counter(number: $0)) }
        }
    }
}
