internal import Foundation
internal import Testing
internal import WhereaboutsCertificates
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsCommand

/// Tests for how `whereabouts` prints positions and times.
struct OutputTests {
    /// Goal: a position with an accuracy of 5 km does not look like an address.
    @Test(arguments: [
        (5000.0, "53.55,9.97 ±5000 m", "#map=12/53.55/9.97"), (120.0, "53.546,9.966 ±120 m", "#map=17/53.546/9.966"),
        (10.0, "53.54586,9.96642 ±10 m", "#map=17/53.54586/9.96642"),
        (0.0, "53.545859,9.966416 ±0 m", "#map=17/53.545859/9.966416"),
        (2e7, "53.55,9.97 ±20000000 m", "#map=3/53.55/9.97"),
    ]) func digitsAndZoomFollowTheAccuracy(_ accuracy: Double, _ text: String, _ zoom: String) {
        let place = PlaceText(latitude: 53.545859, longitude: 9.966416, accuracy: accuracy)
        #expect(place.text == text)
        #expect(place.map.hasSuffix(zoom), "\(place.map)")
    }

    @Test(arguments: [(0, "0 s"), (45, "45 s"), (600, "10 min"), (3600, "1 h"), (5400, "90 min"), (604_800, "7 d")])
    func lengthsOfTimeHaveTheLargestUnit(_ seconds: Int, _ text: String) {
        #expect(words(seconds: seconds) == text)
    }

    /// Goal: a skipped request of a schedule is described as `whereabouts ask` describes it.
    ///
    /// Method: the state passes through the server's JSON.
    @Test func aStateSaysTheSameInASchedule() throws {
        let time = WallTime(milliseconds: 1_800_000_000_000)
        let json = try JSONEncoder().encode(Wire.State(RequestState(.tooSoon, at: time, rule: .outsideHours)))
        let state = try #require(try JSONDecoder().decode(Wire.State.self, from: json).state)
        #expect(state.code == "outsideHours")
        let text = SchedulePrinter.text(ScheduleOccurrence(number: 1, time: time, state: state, answer: nil))
        #expect(text.contains("too soon") && text.hasSuffix(Refusal.outsideHours.reason), "\(text)")
    }

    /// Goal: the printed next steps work on an installed machine, where root may not open a profile of the service's
    /// user.
    @Test func anInstalledServersStepsNeedNoFileOfTheService() throws {
        let words = ServerWords(
            directory: "/var/lib/whereabouts/main",
            names: [try #require(HostName("sharing.example.org"))],
            name: "Zoë M",
            safetyNumber: ""
        ).installed
        #expect(words.contains("systemctl enable --now whereabouts@main") && !words.contains("/me"))
        let authority = "/etc/whereabouts/ca.pem"
        #expect(words.contains("install -D -m 644 /var/lib/whereabouts/main/ca.pem \(authority)"))
        #expect(words.contains("--gateway-trust-roots \(authority)") && words.contains("--trust-roots \(authority)"))
        #expect(words.contains("invite --name='Zoë M'"), "\(words)")
    }

    /// Goal: a time zone without an abbreviation is shown with its offset.
    @Test(arguments: [("UTC", "UTC"), ("America/Sao_Paulo", "-03:00"), ("Asia/Kolkata", "+05:30")])
    func aZoneIsWrittenInAStandardForm(_ name: String, _ text: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        try #require(zone != .current || name == "UTC")
        #expect(Moment.zone(zone, at: Date(timeIntervalSince1970: 1_800_000_000)) == text)
    }

    /// Goal: a value that begins with a joiner or an accent, which combines with the character before it, is read.
    @Test(arguments: [
        ("--rename=\u{200D}x", ["--rename", "\u{200D}x"]), ("--name=\u{301}", ["--name", "\u{301}"]),
        ("--rename=x=\u{200D}", ["--rename=x=\u{200D}"]), ("--rename=", ["--rename="]), ("x=\u{301}", ["x=\u{301}"]),
    ]) func anOptionIsSeparatedFromItsValue(_ argument: String, _ arguments: [String]) {
        #expect(Whereabouts.separated(argument) == arguments)
    }

    /// Goal: programs read UTC; people read local time with the name of its zone.
    @Test func timesAreLocalForPeople() throws {
        let moment = Moment(WallTime(milliseconds: 1_800_000_000_000))
        #expect(try String(decoding: JSONEncoder().encode([moment]), as: UTF8.self) == #"["2027-01-15T08:00:00Z"]"#)
        let form = /2027-01-1[45] [0-9]{2}:[0-9]{2}:00 ([A-Z]{2,5}|[+-][0-9]{2}:[0-9]{2})/
        #expect(moment.local.wholeMatch(of: form) != nil, "\(moment.local)")
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(moment.clock(now: date).wholeMatch(of: /[0-9]{2}:[0-9]{2}/) != nil)
        #expect(moment.clock(now: date.addingTimeInterval(200_000)).hasPrefix("2027-01-1"))
    }
}
