internal import Testing

@testable internal import WhereaboutsLocationctl

/// Tests for lines that arrive in parts.
@Suite struct InputLinesTests {
    @Test func piecesBecomeLines() {
        var input = InputLines()
        #expect(input.take(Array("one\ntw".utf8)) == [.text("one")])
        #expect(input.take(Array("o\n\nthree".utf8)) == [.text("two")])
        #expect(input.end() == .text("three"))
        #expect(input.end() == nil)
    }

    @Test func aLineThatIsTooLongIsPassedOverAlone() {
        var input = InputLines()
        let longest = [UInt8](repeating: 0x61, count: InputLines.bytesMax)
        #expect(input.take(longest + [0x0A]) == [.text(String(decoding: longest, as: UTF8.self))])
        #expect(input.take(longest) == [])
        #expect(input.take(longest + Array("\nnext\n".utf8)) == [.tooLong, .text("next")])
        #expect(input.take(longest + [0x61]) == [])
        #expect(input.end() == .tooLong)
    }
}
