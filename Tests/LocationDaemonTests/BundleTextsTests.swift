internal import Foundation
internal import Testing
internal import WhereaboutsLocationHost

@testable internal import WhereaboutsLocationDaemon

/// Goal: a prompt's texts are in the person's language, if the bundle has it.
@Suite struct BundleTextsTests {
    private let scratch: Scratch
    private let path: String
    /// Read again, as after an installation.
    private var bundle: AppBundle { get throws { try AppBundle(path: self.path) } }

    init() throws {
        self.scratch = try Scratch()
        self.path = try self.scratch.makeBundle()
        try self.scratch.write(
            [
                "CFBundleIdentifier": "com.example.Test", "CFBundleExecutable": "Test", "CFBundleName": "Friends",
                "CFBundleDevelopmentRegion": "en", "NSLocationWhenInUseUsageDescription": "Where are you?",
                "NSLocationAlwaysAndWhenInUseUsageDescription": "Always?",
                "NSLocationTemporaryUsageDescriptionDictionary": ["Meet": "To meet."],
            ],
            to: "Test.app/Info.plist"
        )
    }

    private func translate(_ language: String, _ text: String, _ encoding: String.Encoding = .utf8) throws {
        let folder = self.path + "/\(language).lproj"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let data = try #require(text.data(using: encoding))
        try data.write(to: URL(fileURLWithPath: folder + "/InfoPlist.strings"))
    }

    private func whenInUse(_ languages: String...) throws -> String? {
        try self.bundle.texts(in: languages).text(InfoPlistKey.whenInUse)
    }

    @Test func aListOfStringsIsATranslation() throws {
        try self.translate(
            "de",
            """
            /* The app's name */
            CFBundleName = "Freunde";
            // asked at the first use
            "NSLocationWhenInUseUsageDescription" = "Wo bist du, \\"Kind\\"?";
            "Meet" = "Zum Treffen.";
            """
        )
        let texts = try self.bundle.texts(in: ["de_AT.UTF-8"])
        #expect(texts.name == "Freunde")
        #expect(texts.text(InfoPlistKey.whenInUse) == "Wo bist du, \"Kind\"?")
        #expect(texts.purpose("Meet") == "Zum Treffen.")
        // A text without a translation stays as written.
        #expect(texts.text(InfoPlistKey.always) == "Always?")
        #expect(try self.whenInUse("fr_FR", "de") == "Wo bist du, \"Kind\"?")
        #expect(try self.whenInUse("fr_FR") == "Where are you?")
        #expect(try self.bundle.texts(in: []).purpose("Meet") == "To meet.")
        #expect(try self.bundle.texts(in: []).purpose("Other") == nil)
    }

    @Test func utf16AndPropertyListsAreTranslationsToo() throws {
        try self.translate("ja", "\"NSLocationWhenInUseUsageDescription\" = \"どこ\";", .utf16)
        #expect(try self.whenInUse("ja_JP.UTF-8") == "どこ")
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(
                fromPropertyList: ["NSLocationWhenInUseUsageDescription": "Où?"],
                format: format,
                options: 0
            )
            try self.translate("fr", "")
            try data.write(to: URL(fileURLWithPath: self.path + "/fr.lproj/InfoPlist.strings"))
            #expect(try self.whenInUse("fr") == "Où?")
        }
    }

    @Test func theNearestLanguageIsTaken() throws {
        try self.translate("pt", "NSLocationWhenInUseUsageDescription = pt;")
        try self.translate("pt-BR", "NSLocationWhenInUseUsageDescription = br;")
        #expect(try self.whenInUse("pt_BR.UTF-8") == "br")
        #expect(try self.whenInUse("pt_PT") == "pt")
        // A person who prefers English to Portuguese gets the texts that were written in English.
        #expect(try self.whenInUse("en_GB", "pt") == "Where are you?")
        #expect(BundleTexts.names(of: "zh_Hans_CN") == ["zh_Hans_CN", "zh-Hans-CN", "zh_Hans", "zh-Hans", "zh"])
    }

    @Test(arguments: ["C", "POSIX", "", "../../etc", "a/b", "..", "de\u{0}"])
    func whatIsNoLanguageIsPassedOver(_ language: String) throws {
        #expect(BundleTexts.names(of: language).isEmpty)
        #expect(try self.whenInUse(language) == "Where are you?")
    }

    @Test(arguments: ["\"A\" = ", "", "[1, 2]", "<plist><dict><key>A</key></plist>", "hello"])
    func aTranslationThatCannotBeReadIsPassedOver(_ text: String) throws {
        try self.translate("de", text)
        #expect(try self.whenInUse("de") == "Where are you?")
    }

    @Test func aTranslationThatIsTooLongIsNotRead() throws {
        let key = "NSLocationWhenInUseUsageDescription"
        try self.translate("de", "\(key) = \"" + String(repeating: "x", count: 300_000) + "\";")
        #expect(try self.whenInUse("de") == "Where are you?")
    }
}
