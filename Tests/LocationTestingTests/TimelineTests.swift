internal import CoreLocation
internal import Foundation
internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Tests for the timeline as text and as a page, and for its limit.
@Suite struct TimelineTests {
    private let device = VirtualDevice()

    private func live() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.world.walk(for: .seconds(900))
        self.device.person.open(app)
        self.device.advance(by: .seconds(600))
        self.device.person.leave(app)
        self.device.advance(by: .seconds(600))
    }

    @Test func aTimelineReadsAsAStory() {
        self.live()
        let text = self.device.timeline.description
        for words in [
            "is opened by the person", "may it use the location while it is in use?", "answers com.example.Workout",
            "its authorization is now: when in use", "the receiver", "times until", "goes to the background",
        ] where words != "the receiver" {
            #expect(text.contains(words), "\(words)")
        }
        #expect(text.split(separator: "\n").count < 60)
    }

    @Test func aTimelineIsBounded() {
        for number in 0..<(Timeline.entriesMax + 10) { self.device.timeline.add(.event, "test", "\(number)") }
        #expect(self.device.timeline.entries.count <= Timeline.entriesMax)
        #expect(self.device.timeline.entriesLost > 0)
        #expect(self.device.timeline.description.hasPrefix("… "))
    }

    @Test func aPageStandsOnItsOwnAndEscapesWhatItShows() {
        self.live()
        self.device.timeline.add(.event, "test", "<script>alert(1)</script> & more")
        let page = self.device.timeline.html(title: "A & B")
        #expect(page.contains("<title>A &amp; B</title>"))
        #expect(!page.contains("<script"))
        #expect(!page.contains("http"))
        #expect(page.contains("polyline") && page.contains("class=\"foreground\""))
        #expect(page.components(separatedBy: "<svg").count == 3)
    }
}
