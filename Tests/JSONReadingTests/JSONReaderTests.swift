internal import Foundation
internal import Testing
internal import WhereaboutsJSONReading

/// Tests for JSON texts from other parties, which may contain anything.
@Suite struct JSONReaderTests {
    private struct Value: Decodable, Equatable {
        var name: String?
    }

    private static func nested(_ depth: Int, _ open: String = "[") -> Data {
        Data(String(repeating: open, count: depth).utf8)
    }

    /// Goal: no nesting ends the process.
    ///
    /// Foundation's decoder crashes at 513 unclosed brackets.
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

    /// Goal: a repeated name in one object is found, wherever it is and however it is escaped.
    @Test(
        arguments: [
            (#"{}"#, nil), (#"[1, "a", "a"]"#, nil), (#"{"a": {"a": 1}, "b": {"a": 1}}"#, nil),
            (#"{"a": "b", "b": "a"}"#, nil), (#"[{"a": 1}, {"a": 1}]"#, nil), (#"{"a\"": 1, "a": "}, \"a\": 1"}"#, nil),
            (#"{"a": 1, "b": [1, 2], "a": 2}"#, "a"), (#"{"a": {"b.c": {"d": 1, "e": {}, "d": 1}}}"#, "a.b.c.d"),
            (#"{"a": 1, "\u0061": 2}"#, "a"), (#"[[{"x": [{"y": 1, "y": 2}]}]]"#, "x.y"),
        ] as [(String, String?)]
    )
    func aNameThatStandsTwiceIsFound(_ text: String, _ name: String?) {
        #expect(JSONReader.doubleName(in: Data(text.utf8)) == name)
        #expect(JSONReader.doubleName(in: Data(("  " + text).utf8).dropFirst(2)) == name)
        // A text that is not JSON throws an error and ends nothing.
        for length in 0..<text.utf8.count { _ = JSONReader.doubleName(in: Data(text.utf8.prefix(length))) }
    }
}
