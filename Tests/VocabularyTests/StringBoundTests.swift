import Testing
import WhereaboutsVocabulary

@Suite struct StringBoundTests {
    @Test func aTextIsCutByBytesAndNeverInsideAScalar() {
        #expect("Hamburg".cut(toBytes: 7) == "Hamburg")
        #expect("Hamburg".cut(toBytes: 3) == "Ham")
        #expect("Köln".cut(toBytes: 2) == "K")
        #expect("Köln".cut(toBytes: 3) == "Kö")
        #expect("日本".cut(toBytes: 5) == "日")
        #expect("日本".cut(toBytes: 0).isEmpty && "日本".cut(toBytes: -1).isEmpty)
    }

    @Test func oneLetterWithAccentsIsNoLongerThanAnyOtherText() {
        let letter = "e" + String(repeating: "\u{301}", count: 70_000)
        #expect(letter.count == 1)
        #expect(letter.cut(toBytes: 100).utf8.count == 99)
    }

    @Test(arguments: ["\u{1B}[2J", "a\nb", "a\u{202E}b", "a\u{2028}b", "\u{7}", "\u{200B}"])
    func charactersThatActAreShownAsBlanks(_ text: String) {
        #expect(text.containsControlCharacters)
        #expect(!text.shown(bytesMax: 100).containsControlCharacters)
    }

    @Test func ordinaryTextIsShownAsItIs() {
        for text in ["Freunde", "どこ", "👩‍👩‍👧", "می‌خواهم", ""] {
            #expect(!text.containsControlCharacters && text.shown(bytesMax: 100) == text)
        }
    }
}
