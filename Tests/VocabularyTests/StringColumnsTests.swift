internal import Testing
internal import WhereaboutsVocabulary

@Suite struct StringColumnsTests {
    @Test(arguments: [
        ("", 0), ("Al", 2), ("Ünal", 4), ("U\u{308}nal", 4), ("東京", 4), ("서울", 4), ("ｱ", 1), ("Ａ", 2), ("Al 🎉", 5),
        ("👩‍👩‍👧", 2), ("❤️", 2), ("❤", 1), ("🇩🇪", 2), ("a\u{200B}b", 2), ("±5 °", 4), ("…—“", 3),
    ])
    func aTextTakesItsColumns(_ text: String, _ columns: Int) {
        #expect(text.columns == columns)
    }
}
