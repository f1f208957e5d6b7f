internal import Foundation
internal import WhereaboutsLocationTesting

/// Tests for an app's container: its defaults and files, which exist while it is installed.
@Suite(.showsTimelines) struct ContainerTests {
    private let device = VirtualDevice()

    private func install(_ bundle: String = "com.example.diary") -> VirtualApp {
        self.device.install(AppUnderTest(bundle, object: { Diary() }))
    }

    @Test func defaultsAndFilesOutliveTheProcessAndNotTheInstallation() {
        let app = self.install()
        self.device.person.open(app)
        #expect(app.read { (diary: Diary) in diary.entries } == [])
        app.read { (diary: Diary) in diary.write("first") }
        app.terminate()
        self.device.person.open(app)
        #expect(app.read { (diary: Diary) in diary.entries } == ["first", "first", "first"], "relaunched")
        // Another version of the app.
        app.terminate()
        self.device.person.open(self.install())
        #expect(app.read { (diary: Diary) in diary.entries } == ["first", "first", "first"], "updated")
        app.uninstall()
        self.device.person.open(self.install())
        #expect(app.read { (diary: Diary) in diary.entries } == [], "installed again")
    }

    @Test func eachAppHasItsOwnAndTheTestToo() {
        let (one, other) = (self.install(), self.install("com.example.notebook"))
        self.device.person.open(one)
        self.device.person.open(other)
        one.read { (diary: Diary) in diary.write("one") }
        other.read { (diary: Diary) in diary.write("other") }
        #expect(one.read { (diary: Diary) in diary.entries } == ["one", "one", "one"])
        #expect(other.read { (diary: Diary) in diary.entries } == ["other", "other", "other"])
        #expect(UserDefaults.standard.string(forKey: "entry") == nil)
        #expect(FileManager.default.temporaryDirectory.path + "/" != one.read { (_: Diary) in NSTemporaryDirectory() })
        let device = VirtualDevice()
        let elsewhere = device.install(AppUnderTest("com.example.diary", object: { Diary() }))
        device.person.open(elsewhere)
        #expect(elsewhere.read { (diary: Diary) in diary.entries } == [])
    }

    @Test func nothingIsLeftOfADevice() throws {
        var homes: [String] = []
        do {
            let device = VirtualDevice()
            let app = device.install(AppUnderTest("com.example.diary", object: { Diary() }))
            device.person.open(app)
            app.read { (diary: Diary) in diary.write("gone") }
            homes += try [#require(app.read { (_: Diary) in NSHomeDirectory() })]
            #expect(FileManager.default.fileExists(atPath: homes[0]))
        }
        #expect(!FileManager.default.fileExists(atPath: homes[0]))
    }

    /// As with Foundation: every type is read back, and registered defaults replace missing values in their process
    /// only.
    @Test func defaultsAreThoseOfFoundation() {
        let app = self.install()
        self.device.person.open(app)
        let kept = app.read { (_: Diary) -> Bool in
            let defaults = UserDefaults.standard
            defaults.register(defaults: ["count": 7, "name": "nobody"])
            let before = defaults.integer(forKey: "count") == 7
            defaults.set(3, forKey: "count")
            defaults.set(2.5, forKey: "double")
            defaults.set(true, forKey: "flag")
            defaults.set(Data([1, 2]), forKey: "data")
            defaults.set(["a", "b"], forKey: "list")
            defaults.set(URL(fileURLWithPath: "/tmp"), forKey: "url")
            defaults.set(nil as URL?, forKey: "flag")
            defaults.removeObject(forKey: "double")
            return before && defaults.integer(forKey: "count") == 3 && defaults.object(forKey: "double") == nil
                && !defaults.bool(forKey: "flag") && defaults.data(forKey: "data") == Data([1, 2])
                && defaults.stringArray(forKey: "list") == ["a", "b"] && defaults.url(forKey: "url")?.path == "/tmp"
                && defaults.string(forKey: "name") == "nobody" && defaults.synchronize()
                && defaults.dictionaryRepresentation().keys.sorted() == ["count", "data", "list", "name", "url"]
        }
        #expect(kept == true)
        app.terminate()
        self.device.person.open(app)
        #expect(app.read { (_: Diary) in UserDefaults.standard.string(forKey: "name") } == .some(nil))
        #expect(app.read { (_: Diary) in UserDefaults.standard.integer(forKey: "count") } == 3)
    }
}

/// An app that writes the same value to its defaults, a document and a temporary file.
@MainActor private final class Diary {
    private let files = [
        FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0],
        FileManager.default.temporaryDirectory,
    ].map { $0.appending(path: "diary.txt") }

    nonisolated init() {}

    var entries: [String] {
        let texts = self.files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }
        return texts + [UserDefaults.standard.string(forKey: "entry")].compactMap(\.self)
    }

    func write(_ entry: String) {
        UserDefaults.standard.set(entry, forKey: "entry")
        for file in self.files {
            let folder = file.deletingLastPathComponent()
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try? entry.write(to: file, atomically: true, encoding: .utf8)
        }
    }
}
