internal import Testing

@testable internal import WhereaboutsGeoClue

/// Goal: an app is identified by its sandbox or its systemd unit.
///
/// Without either, its own claim counts, and is kept apart.
@Suite struct AskerTests {
    private static let flatpak = """
        [Application]
        name=org.gnome.Maps
        runtime=runtime/org.gnome.Platform/x86_64/45

        [Instance]
        name=not-this-one

        """

    private static func cgroup(_ unit: String) -> String {
        "0::/user.slice/user-1000.slice/user@1000.service/app.slice/\(unit)\n"
    }

    @Test func aSandboxSaysWhoIsInIt() throws {
        let facts = ProcessFacts(
            flatpakInfo: Self.flatpak,
            cgroup: Self.cgroup("app-gnome-firefox-12.scope"),
            executable: "/app/bin/maps"
        )
        let asker = try #require(Asker(facts, claimed: "firefox", user: 1000))
        #expect(asker.desktopID == "org.gnome.Maps" && asker.evidence == .flatpak && asker.isKnown)
        #expect(asker.bundle == "geoclue.flatpak.org.gnome.Maps")
    }

    @Test(arguments: ["", "[Application]\n", "[Instance]\nname=org.gnome.Maps\n", "[Application]\nname=../x\n"])
    func aSandboxWithoutANameIsNobody(_ info: String) {
        #expect(Asker(ProcessFacts(flatpakInfo: info), claimed: "firefox", user: 1000) == nil)
    }

    @Test(arguments: [
        ("app-gnome-firefox-12345.scope", "firefox"), ("app-org.gnome.Maps-7.scope", "org.gnome.Maps"),
        (#"app-gnome-gnome\x2dweather-1.scope"#, "gnome-weather"), ("app-firefox.service", "firefox"),
        ("app-gnome-org.gnome.Maps@8a3f.service", "org.gnome.Maps"),
        (#"app-geoclue\x2ddemo\x2dagent@autostart.service"#, "geoclue-demo-agent"),
        ("app-flatpak-org.gnome.Maps-3.scope/child", "org.gnome.Maps"),
    ])
    func aUnitSaysWhoItWasMadeFor(_ unit: String, _ id: String) throws {
        let asker = try #require(Asker(ProcessFacts(cgroup: Self.cgroup(unit)), claimed: "other", user: 1000))
        #expect(asker.desktopID == id && asker.evidence == .unit && asker.bundle.hasPrefix("geoclue.app."))
    }

    @Test(arguments: [
        Self.cgroup("app-12345.scope"), Self.cgroup("vte-spawn-1234.scope"), Self.cgroup("app-a-b-c-d.scope"),
        Self.cgroup(#"app-gnome-a\x2-1.scope"#), Self.cgroup(#"app-gnome-\xff-1.scope"#), "0::/\n", "", "12:cpu:/x\n",
        // Units of another user's service manager, or of none: any process that may create cgroups there is not started
        // by this person's systemd.
        "0::/user.slice/user-1001.slice/user@1001.service/app.slice/app-gnome-firefox-1.scope\n",
        "0::/app.slice/app-gnome-firefox-1.scope\n",
        "0::/user.slice/user-1000.slice/session-2.scope\n",
    ])
    func anotherUnitSaysNothing(_ cgroup: String) throws {
        let asker = try #require(Asker(ProcessFacts(cgroup: cgroup), claimed: "weather", user: 1000))
        #expect(asker.evidence == .claimed(executable: nil) && !asker.isKnown)
    }

    @Test func aClaimIsKeptApartByTheProgramThatMakesIt() throws {
        func bundle(_ id: String, _ program: String?) throws -> String {
            try #require(Asker(ProcessFacts(executable: program), claimed: id, user: 1)).bundle
        }
        let firefox = try bundle("firefox", "/usr/lib/firefox/firefox")
        #expect(try firefox != bundle("firefox", "/usr/bin/python3"))
        #expect(try firefox != bundle("firefox", nil))
        #expect(try firefox == bundle("firefox", "/usr/lib/firefox/firefox"))
        #expect(firefox.hasPrefix("geoclue.claimed.firefox."))
    }

    @Test(arguments: ["", "..", ".a", "a.", "a/b", "a b", "ä", "a..b", String(repeating: "a", count: 101)])
    func whatNamesNoFileNamesNobody(_ id: String) {
        #expect(!Asker.isDesktopID(id))
        #expect(Asker(ProcessFacts(), claimed: id, user: 1) == nil)
    }

    /// Goal: no program gets the permission of another one whose ID looks similar as a bundle identifier.
    @Test func noTwoIdsHaveOneBundle() throws {
        let ids = ["a-b", "a--b", "a_b", "a-5fb", "a+b", "a-2bb", "a.b", "A.b", "a-", "a--"]
        let bundles = try ids.map { id in
            try #require(Asker(ProcessFacts(flatpakInfo: "[Application]\nname=\(id)\n"), claimed: "", user: 1)).bundle
        }
        #expect(Set(bundles).count == ids.count, "\(bundles)")
        // An ID of letters that need no escaping may have the maximum length; an ID that would grow too long is
        // refused.
        #expect(Asker(ProcessFacts(), claimed: String(repeating: "a", count: 100), user: 1) != nil)
        #expect(Asker(ProcessFacts(), claimed: String(repeating: "_", count: 100), user: 1) == nil)
    }
}
