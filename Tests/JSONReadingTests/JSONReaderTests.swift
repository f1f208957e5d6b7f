internal import Foundation
internal import JSONReading
internal import Testing

/// Texts of others, which may be anything.
@Suite struct JSONReaderTests {
    private struct Value: Decodable, Equatable {
        var name: String?
    }

    private static func nested(_ depth: Int, _ open: String = "[") -> Data {
        Data(String(repeating: open, count: depth).utf8)
    }

    /// Goal: no nesting ends the process; Foundation's own decoder is ended by 513 and nothing behind them.
    @Test(arguments: [1, 64, 65, 512, 513, 514, 100_000], ["[", #"{"a":"#, #"{"a":["#])
    func noNestingEndsTheProcess(_ depth: Int, _ open: String) {
        #expect(throws: DecodingError.self) {
            try JSONReader().decode([Value].self, from: Self.nested(depth, open))
        }
    }

    @Test func bracketsInStringsNestNothing() throws {
        let name = String(repeating: #"[{\"\\"#, count: 200)
        let value = try JSONReader().decode(Value.self, from: Data(#"{"name":"\#(name)"}"#.utf8))
        #expect(value.name == String(repeating: #"[{"\"#, count: 200))
    }

    @Test func whatIsNestedAsDeepAsAllowedIsRead() throws {
        let side = Data(String(repeating: "[1],", count: 1000).utf8)
        #expect(try JSONReader().decode([[Int]].self, from: Data("[".utf8) + side + Data("[2]]".utf8)).count == 1001)
    }

    @Test func datesAreReadAsTheyAreWritten() throws {
        let date = try JSONReader(dates: .iso8601).decode([Date].self, from: Data(#"["1970-01-01T00:01:00Z"]"#.utf8))
        #expect(date == [Date(timeIntervalSince1970: 60)])
    }
}
