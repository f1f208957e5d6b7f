internal import Testing
internal import WhereaboutsVocabulary

@Suite struct ShellWordTests {
    @Test(arguments: ["Al", "/home/al/me", "a+b,c-d.e/f@g_h", "2026"])
    func plainWordsStayAsTheyAre(_ text: String) {
        #expect(ShellWord.of(text) == text)
    }

    @Test(arguments: [
        ("", "''"), ("Al B", "'Al B'"), ("Al $(touch PWNED); x", "'Al $(touch PWNED); x'"), ("it's", #"'it'\''s'"#),
        ("'", #"''\'''"#), ("`id`", "'`id`'"), ("a\"b\\c", #"'a"b\c'"#), ("~", "'~'"), ("*", "'*'"), ("#x", "'#x'"),
        ("a=b", "'a=b'"), ("!x", "'!x'"), ("Ünal", "'Ünal'"), ("a\u{A0}b", "'a\u{A0}b'"), ("a:b", "'a:b'"),
    ])
    func whatAShellReadsIsQuoted(_ text: String, _ word: String) {
        #expect(ShellWord.of(text) == word)
    }

    @Test func noWordIsAnOption() {
        #expect(ShellWord.path("-home") == "./-home")
        #expect(ShellWord.path("-my home") == "'./-my home'")
        #expect(ShellWord.last("-Al") == "-- -Al")
        #expect(ShellWord.last("--grant=/etc x") == "-- '--grant=/etc x'")
        #expect(ShellWord.last("Al") == "Al")
    }
}
