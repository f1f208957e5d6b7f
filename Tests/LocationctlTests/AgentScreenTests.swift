internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationctl

/// Tests for the agent protocol on a person's screen.
@Suite struct AgentScreenTests {
    /// Goal: the error for a script's invalid line is a sentence, without a library's error names.
    @Test(arguments: [
        ("nonsense", "not an object of JSON"), (#"{"answer":{"choise":"DENY"}}"#, "nothing there has a field 'choise'"),
        (#"{"answer":{"choice":"PERHAPS"}}"#, "the choice or phase is not on that page"),
        (#"{"answer":{"prompt":"x"}}"#, "it contains a number that is not allowed there"),
        (#"{"displayLit":{},"hello":{}}"#, "it contains two requests"), (#"{"answer":"#, "not an object of JSON"),
    ])
    func aWrongLineIsRefusedInWords(_ line: String, _ words: String) {
        do {
            let request = try AgentRequest(jsonString: line)
            Issue.record("\(request) was read")
        } catch {
            #expect(AgentCommand.words(for: error).contains(words), "\(error)")
        }
    }

    private func shown(_ titles: [String], on screen: inout AgentScreen) -> String {
        screen.shown(
            .with {
                $0.indicators.indicators = titles.map { title in
                    .with {
                        $0.bundle = "com.example.App"
                        $0.appName = "App"
                        $0.title = title
                    }
                }
            }
        )
    }

    private func dismissed(_ line: String, on screen: inout AgentScreen) -> String? {
        guard case .send(let request) = screen.entered(line) else { return nil }
        return request.dismissActivity.title
    }

    @Test func anActivityKeepsItsNumberAsLongAsItIsShown() {
        var screen = AgentScreen()
        #expect(self.shown(["Ride"], on: &screen) == "● App: Ride  (d 1 dismisses it)\n")
        // Other prompts come before it, and one of them cannot be dismissed.
        #expect(
            self.shown(["", "Parcel", "Ride"], on: &screen)
                == "● App uses your location\n● App: Parcel  (d 2 dismisses it)\n"
        )
        #expect(self.dismissed("d 1", on: &screen) == "Ride")
        #expect(self.dismissed("d 2", on: &screen) == "Parcel")
        #expect(self.shown(["Parcel"], on: &screen) == "○ App: Ride\n○ App uses your location\n")
        #expect(self.dismissed("d 1", on: &screen) == nil)
        #expect(self.dismissed("d 2", on: &screen) == "Parcel")
        // The number of a withdrawn prompt is not reused, since the person may be typing it.
        #expect(self.shown(["Parcel", "Walk"], on: &screen) == "● App: Walk  (d 3 dismisses it)\n")
        #expect(self.dismissed("d 2", on: &screen) == "Parcel")
    }

    @Test func anAppThatStoppedSharingIsToBeOpened() {
        var screen = AgentScreen()
        let shown = screen.shown(
            .with {
                $0.indicators.indicators = [
                    .with {
                        $0.bundle = "com.example.App"
                        $0.appName = "App"
                        $0.sharingStopped = true
                    }
                ]
            }
        )
        #expect(shown == "● App stopped sharing your location: open App once to go on sharing\n")
        #expect(self.dismissed("d 1", on: &screen) == nil)
    }

    @Test func twoOfTheSameTitleAreTwo() {
        var screen = AgentScreen()
        #expect(
            self.shown(["Ride", "Ride"], on: &screen)
                == "● App: Ride  (d 1 dismisses it)\n● App: Ride  (d 2 dismisses it)\n"
        )
        #expect(self.shown(["Ride"], on: &screen) == "○ App: Ride\n")
        #expect(self.shown(["Ride"], on: &screen) == "")
    }

    @Test func wordsOfAppsDoNotActOnTheTerminal() {
        var screen = AgentScreen()
        let prompt = screen.shown(
            .with {
                $0.prompt = .with {
                    $0.appName = "A\u{1B}[2Jb"
                    $0.purpose = "x\u{202E}y\u{2028}z\u{200B}"
                    $0.choices = [.dontAllow]
                }
            }
        )
        #expect(prompt.contains("\"A [2Jb\"") && prompt.contains("\"xy z\""))
        #expect(screen.shown(.with { $0.refusal.message = "no \u{7}" }) == "not done: no  \n")
    }
}
