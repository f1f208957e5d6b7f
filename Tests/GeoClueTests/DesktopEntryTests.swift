internal import Testing

@testable internal import WhereaboutsGeoClue

/// Goal: the prompt shows an app's name and reason from its `.desktop` file.
@Suite struct DesktopEntryTests {
    private static let maps = """
        [Desktop Entry]
        Name=Maps
        Name[de]=Karten
        Name[pt_BR]=Mapas
        Comment=A simple maps application
        X-Geoclue-Reason = Shows you \\nwhere you are
        X-Geoclue-Reason[de]=Zeigt <b>dich</b> & mehr
        [Desktop Action new]
        Name=New Window
        """

    private func asker(_ executable: String? = nil) throws -> Asker {
        let facts =
            executable.map { ProcessFacts(executable: $0) } ?? ProcessFacts(flatpakInfo: "[Application]\nname=maps\n")
        return try #require(Asker(facts, claimed: "maps", user: 1))
    }

    private func text(_ path: String, _ bundle: AskerBundle) throws -> String {
        try #require(bundle.files.first { $0.path == path }).text
    }

    @Test func nameAndReasonAreRead() {
        let entry = DesktopEntry(Self.maps)
        #expect(entry.name == .init(plain: "Maps", translated: ["de": "Karten", "pt_BR": "Mapas"]))
        #expect(entry.reason?.plain == "Shows you  where you are")
        #expect(entry.reason?.translated == ["de": "Zeigt <b>dich</b> & mehr"])
        #expect(DesktopEntry("[Desktop Entry]\nComment=why\n").reason?.plain == "why")
        #expect(DesktopEntry("Name=before any group\n").name == nil)
    }

    @Test func theyStandInTheBundleInEveryLanguage() throws {
        let bundle = AskerBundle(try self.asker(), DesktopEntry(Self.maps))
        #expect(bundle.name == "geoclue.flatpak.maps.app")
        let info = try self.text("Info.plist", bundle)
        #expect(info.contains("<key>CFBundleIdentifier</key><string>geoclue.flatpak.maps</string>"))
        #expect(info.contains("<key>CFBundleName</key><string>Maps</string>"))
        #expect(info.contains("<string>Shows you  where you are</string>"))
        let german = try self.text("de.lproj/InfoPlist.strings", bundle)
        #expect(german.contains("<string>Karten</string>") && german.contains("&lt;b&gt;dich&lt;/b&gt; &amp; mehr"))
        let portuguese = try self.text("pt_BR.lproj/InfoPlist.strings", bundle)
        #expect(portuguese.contains("<string>Mapas</string>") && portuguese.contains("Shows you"))
        #expect(bundle.files.filter(\.isProgram).map(\.path) == ["asks-through-geoclue"])
    }

    @Test func aClaimIsShownAsOneInEveryLanguage() throws {
        let bundle = AskerBundle(try self.asker("/usr/bin/python3.11"), DesktopEntry(Self.maps))
        #expect(try self.text("Info.plist", bundle).contains("Maps (claimed by python3.11)"))
        #expect(try self.text("de.lproj/InfoPlist.strings", bundle).contains("Karten (claimed by python3.11)"))
        let nameless = AskerBundle(try #require(Asker(ProcessFacts(), claimed: "maps", user: 1)), nil)
        #expect(try self.text("Info.plist", nameless).contains("maps (claimed by a program)"))
        #expect(try self.text("Info.plist", nameless).contains("gives no reason"))
    }

    @Test func nothingInANameActs() throws {
        let entry = DesktopEntry("[Desktop Entry]\nName=A\u{1B}[2J\u{202E}B\nName[../../x]=C\nComment=   \n")
        let bundle = AskerBundle(try self.asker(), entry)
        let info = try self.text("Info.plist", bundle)
        #expect(info.contains("<string>A [2J B</string>") && info.contains("gives no reason"))
        #expect(bundle.files.count == 2)
    }

    @Test func aFileOfManyLocalesIsBounded() throws {
        let lines = (0..<1000).map { "Name[l\($0)]=x" }.joined(separator: "\n")
        let entry = DesktopEntry("[Desktop Entry]\nName=A\n\(lines)")
        #expect(entry.name?.translated.count == DesktopEntry.localesMax)
    }
}
