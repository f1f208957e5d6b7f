internal import CoreLocation
internal import Foundation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

extension TalkingProgram: SeparateProgram {}

/// Tests for timelines stored by tests, and for apps' entries in them.
@Suite struct KeptTimelineTests {
    private let device = VirtualDevice()

    private func live(_ app: AppUnderTest) {
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(self.device.install(app))
        self.device.advance(by: .seconds(20))
    }

    // MARK: Comparing

    @Test func aTimelineThatIsAsExpectedIsFine() {
        self.live(AppUnderTest("com.example.calm") {})
        self.device.expectTimeline(
            """
            0:00:00.000  com.example.calm  • is installed
            0:00:00.000  com.example.calm  • is opened by the person
            0:00:00.000  com.example.calm  • returns from main and exits
            """,
            of: ["com.example.calm"]
        )
    }

    @Test func aDifferenceIsShownWithTheLinesAround() {
        self.live(AppUnderTest("com.example.calm") {})
        withKnownIssue {
            self.device.expectTimeline(
                """
                0:00:00.000  com.example.calm  • is installed
                0:00:00.000  com.example.calm  • is opened by the cat
                0:00:00.000  com.example.calm  • returns from main and exits
                """,
                of: ["com.example.calm"]
            )
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.hasSuffix(
                    """
                      0:00:00.000  com.example.calm  • is installed
                    - 0:00:00.000  com.example.calm  • is opened by the cat
                    + 0:00:00.000  com.example.calm  • is opened by the person
                      0:00:00.000  com.example.calm  • returns from main and exits
                    """
                )
            } && issue.sourceLocation?.fileName == "KeptTimelineTests.swift"
        }
    }

    @Test func farLinesAreLeftOut() throws {
        let expected = (1...9).map(String.init)
        let difference = try #require(
            LineDifference((expected + ["10"]).joined(separator: "\n"), from: expected.joined(separator: "\n"))
        )
        #expect(difference.words == "  …\n  8\n  9\n+ 10")
        #expect(LineDifference("a\n\n", from: "\na") == nil)
        #expect(LineDifference("", from: "a")?.words == "- a")
    }

    @Test func aTimelineIsKeptInAFileBesideTheTest() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let kept = KeptTimeline("denied", beside: folder.appending(path: "WorkoutTests.swift").path)
        #expect(kept.file.path.hasSuffix("/Timelines/denied.timeline"))
        #expect(kept.compare(with: "one\ntwo", records: false) == .recorded)
        #expect(kept.compare(with: "one\ntwo", records: false) == .same)
        #expect(kept.compare(with: "one\nthree", records: false) == .different("  one\n- two\n+ three"))
        #expect(kept.compare(with: "one\nthree", records: true) == .recorded)
        #expect(kept.compare(with: "one\nthree", records: false) == .same)
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
        guard case .unreadable = kept.compare(with: "one", records: false) else {
            Issue.record("a file stands where the folder is to be")
            return
        }
    }

    @Test func theWorkoutIsAsKept() {
        self.live(.workout)
        self.device.expectTimeline(named: "workout", of: ["person"])
    }

    // MARK: Lines of apps

    @Test(arguments: [false, true]) func whatAnAppWritesIsInTheTimeline(_ isSeparate: Bool) {
        self.live(
            isSeparate
                ? AppUnderTest("com.example.talking", separateProcess: TalkingProgram.self)
                : AppUnderTest("com.example.talking") { try await TalkingProgram.main() }
        )
        let notes = self.device.timeline.entries(of: "com.example.talking").filter { $0.kind == .note }
        #expect(notes.map(\.text) == ["begins 1", "on its standard error", "has a position"])
        #expect(notes.last?.time ?? .zero > .seconds(2))
    }

    @Test func whatAnAppWritesIsNoPartOfTheFingerprint() {
        func fingerprint(_ words: String) -> String {
            let device = VirtualDevice()
            device.person.open(device.install(AppUnderTest("com.example.talking") { print(words) }))
            return device.timeline.fingerprint
        }
        #expect(fingerprint("a") == fingerprint("b"))
    }

    @Test func piecesOfLinesAreOneLine() {
        var line = WrittenLine()
        func add(_ text: String) -> [String] { unsafe Array(text.utf8).withUnsafeBytes { unsafe line.add($0) } }
        #expect(add("a") == [])
        #expect(add("b\n\nc\nd") == ["ab", "c"])
        #expect(add(String(repeating: "x", count: 2 * WrittenLine.bytesMax)) == [])
        #expect(add("\n").map(\.utf8.count) == [WrittenLine.bytesMax])
    }
}
