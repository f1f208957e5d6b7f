internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Goal: an app may geocode once a second.
///
/// Answers are cached for a day; network failures are not.
@Suite struct GeocodingTests {
    private func question(_ address: String) throws -> GeocodeQuestion {
        try #require(GeocodeQuestion(.address(address, near: nil), languages: "de"))
    }

    private func connected(hasGeocoder: Bool = true) -> CoreOnPaper {
        var core = CoreOnPaper(hasGeocoder: hasGeocoder)
        _ = core.order(.run(CoreOnPaper.app, .foreground))
        _ = core.report(.appStarted(CoreOnPaper.app))
        _ = core.connect()
        _ = core.wait(.seconds(1))
        return core
    }

    private func ask(_ core: inout CoreOnPaper, _ address: String, _ request: UInt64) throws -> [String] {
        let message = ClientMessage.geocodeRequest(try self.question(address), request: request)
        return core.report(.messageReceived(message, from: CoreOnPaper.client))
    }

    @Test func withoutAServerThereIsNone() throws {
        var core = self.connected(hasGeocoder: false)
        #expect(try self.ask(&core, "a", 1) == ["places 1: no server"])
    }

    @Test func aQuestionThatNothingAnswersIsNotAsked() {
        var core = self.connected()
        let message = ClientMessage.geocodeRequest(nil, request: 4)
        #expect(core.report(.messageReceived(message, from: CoreOnPaper.client)) == ["places 4: no result"])
    }

    @Test func anAppAsksOnceASecondAndTenMoreWait() throws {
        var core = self.connected()
        #expect(try self.ask(&core, "0", 0) == ["look up 1"])
        for number in UInt64(1)...10 { #expect(try self.ask(&core, "\(number)", number) == []) }
        #expect(try self.ask(&core, "11", 11) == ["places 11: too often"])
        #expect(core.wait(.milliseconds(999)) == [])
        #expect(core.wait(.milliseconds(1)) == ["look up 2"])
        #expect(core.wait(.seconds(60)).count == 9)
    }

    @Test func anAnswerIsKeptForADay() throws {
        var core = self.connected()
        _ = try self.ask(&core, "a", 1)
        let lookUp = LookUpID(rawValue: 1)
        #expect(core.report(.lookedUp(lookUp, .noResult)) == ["places 1: no result"])
        #expect(core.report(.lookedUp(lookUp, .noResult)) == [], "once")
        _ = core.wait(.seconds(24 * 3600 - 1))
        #expect(try self.ask(&core, "a", 2) == ["places 2: no result"])
        _ = core.wait(.seconds(1))
        #expect(try self.ask(&core, "a", 3) == ["look up 2"])
    }

    @Test func aQuestionThatWasAnsweredMeanwhileIsNotAskedAgain() throws {
        var core = self.connected()
        _ = try self.ask(&core, "a", 1)
        #expect(try self.ask(&core, "a", 2) == [])
        _ = core.report(.lookedUp(LookUpID(rawValue: 1), .places([1])))
        #expect(core.wait(.seconds(1)) == ["places 2: places"])
    }

    @Test func aFailureOfTheNetworkIsNotKept() throws {
        var core = self.connected()
        _ = try self.ask(&core, "a", 1)
        let lookUp = LookUpID(rawValue: 1)
        #expect(core.report(.lookedUp(lookUp, .unreachable("down"))) == ["places 1: unreachable"])
        _ = core.wait(.seconds(1))
        #expect(try self.ask(&core, "a", 2) == ["look up 2"])
    }

    @Test func answersAreBounded() throws {
        var core = self.connected()
        for number in UInt64(0)...256 {
            #expect(try self.ask(&core, "\(number)", number) == ["look up \(number + 1)"])
            _ = core.report(.lookedUp(LookUpID(rawValue: number + 1), .noResult))
            _ = core.wait(.seconds(1))
        }
        #expect(try self.ask(&core, "256", 1000) == ["places 1000: no result"])
        #expect(try self.ask(&core, "0", 1001) == ["look up 258"], "the oldest made room")
    }

    @Test func aQuestionHoldsNothingThatIsNoQuestion() {
        #expect(GeocodeQuestion(.address(" \n", near: nil), languages: "") == nil)
        let longest = String(repeating: "a", count: GeocodeQuestion.addressBytesMax)
        #expect(GeocodeQuestion(.address(longest, near: nil), languages: "") != nil)
        #expect(GeocodeQuestion(.address(longest + "a", near: nil), languages: "") == nil)
        #expect(GeocodeQuestion(.place(latitude: 900_000_001, longitude: 0), languages: "") == nil)
        #expect(GeocodeQuestion(.place(latitude: 0, longitude: .min), languages: "") == nil)
        let far = GeocodeQuestion.Circle(latitude: 0, longitude: 0, radius: .infinity)
        #expect(GeocodeQuestion(.address("a", near: far), languages: "")?.subject == .address("a", near: nil))
        #expect(GeocodeQuestion(.address(" a ", near: nil), languages: "de-DE\r\nhost: x")?.languages == "de-DEhost x")
    }
}
