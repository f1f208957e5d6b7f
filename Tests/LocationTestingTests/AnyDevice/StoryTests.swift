internal import Foundation
internal import Testing

@testable internal import WhereaboutsLocationTesting

@Suite struct StoryTests {
    /// An event of each form of arguments.
    private static let story = Story(
        seed: 17,
        [
            .init(at: .milliseconds(2500), .answer("com.example.App", .dontAllow)),
            .init(at: .seconds(3), .setPrecise("com.example.App", false)),
            .init(at: .seconds(4), .serviceDown(.stopped, for: .milliseconds(1))),
            .init(at: .seconds(5), .moveClock(by: .seconds(-60))),
            .init(at: .seconds(6), .quirk(.delaysFirstPosition(by: .seconds(3960)))),
            .init(at: .seconds(7), .quirk(.repeatsUpdates)),
            .init(at: .seconds(8), .stray(metres: 300, for: .seconds(5))),
            .init(at: .seconds(9), .reboot(offFor: .seconds(5), lockedFor: .zero)),
            .init(at: .seconds(10), .newPushTokens),
        ]
    )

    @Test func itsLiteralIsTheCodeAbove() throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let events = source.split(separator: "\n").filter { $0.hasPrefix("            .init(at:") }
            .map { "    \($0.drop { $0 == " " })" }
        #expect(Self.story.literal == "Story(seed: 17, [\n\(events.joined(separator: "\n"))\n])")
        #expect(Story(seed: 3).literal == "Story(seed: 3)")
    }

    @Test func itIsTheSameAfterAFile() throws {
        let data = try JSONEncoder().encode(Self.story)
        #expect(try JSONDecoder().decode(Story.self, from: data) == Self.story)
    }

    @Test func itsEventsAreInTheOrderOfTime() {
        let late = Story.Event(at: .seconds(2), .terminate("a"))
        let (first, second) = (Story.Event(at: .seconds(1), .open("a")), Story.Event(at: .seconds(1), .leave("a")))
        #expect(Story([late, first, second]).events == [first, second, late])
    }

    @Test func keptStoriesAreTheNewestFirst() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID())")
        let sources = folder.appending(path: "Tests")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data().write(to: folder.appending(path: "Package.swift"))
        let kept = KeptStories("Tests.sharing()", near: sources.appending(path: "A.swift").path)
        #expect(kept.stories == [])
        kept.keep(Story(seed: 1))
        kept.keep(Self.story)
        kept.keep(Story(seed: 1))
        #expect(kept.stories == [Story(seed: 1), Self.story])
        #expect(
            FileManager.default.fileExists(atPath: folder.appending(path: ".location-tests/Tests.sharing.json").path)
        )
        kept.keep(nil)
        #expect(kept.stories == [])
    }

    /// Goal: methods with the same name in different classes of one file have separate failure files.
    @Test func eachClassHasItsFailures() throws {
        struct First {
            func testSharing() -> KeptStories { KeptStories(ofMethod: #function, at: #_sourceLocation) }
        }
        struct Second {
            func testSharing() -> KeptStories { KeptStories(ofMethod: #function, at: #_sourceLocation) }
        }
        let names = [First().testSharing(), Second().testSharing()].map { $0.file?.lastPathComponent }
        #expect(
            names == ["First", "Second"].map { "LocationTestingTests.StoryTests.StoryTests.\($0).testSharing.json" }
        )
    }

    /// Goal: only the types around a line count, not types above it, in comments, or in conditional compilation.
    @Test(arguments: [(line: 7, types: ["Outer", "Run.Tests"]), (9, ["Outer"]), (12, [])])
    func theTypesAroundALineAreFound(_ line: Int, _ types: [String]) {
        let source = """
            @MainActor(unsafe) public final class Outer: XCTestCase {
                struct Died: Error {}
            #if os(Linux)
                // class Wrong
                extension Run.Tests {
                    class func testSharing(
                    ) async { await check() }
                }
                func testSharing() async { await check() }
            #endif
            }
            func testSharing() async { await check() }
            """
        #expect(KeptStories.types(around: line, of: source) == types)
    }
}
