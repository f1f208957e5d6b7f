internal import CoreLocation
internal import WhereaboutsLocationTesting

/// Tests for the owner's rules, and their effects on apps and people.
@Suite(.showsTimelines) struct OwnerTests {
    private let device = VirtualDevice()

    private func manage(_ rule: Management.Rule) {
        self.device.owner.manage(Management(apps: ["com.example.Weather": rule]))
    }

    private func opened() -> VirtualApp {
        let app = self.device.install(.weather)
        self.device.person.open(app)
        self.device.advance(by: .seconds(10))
        return app
    }

    @Test func locationServicesAreForced() {
        self.device.person.answersAll(.allowWhileUsing)
        let app = self.opened()
        #expect(app.isServed)
        self.device.owner.manage(Management(locationServices: false))
        #expect(!app.isServed && app.authorizationStatus == .denied)
        self.device.person.switchLocationServices(on: true)
        #expect(app.authorizationStatus == .denied)
        self.device.owner.manage(Management(locationServices: true))
        self.device.person.switchLocationServices(on: false)
        self.device.advance(by: .seconds(10))
        #expect(app.isServed)
        self.device.owner.manage(Management())
        #expect(app.isServed && self.device.owner.rules == Management(), "what could not be switched was not")
    }

    @Test func whoIsForbiddenIsRestricted() {
        self.device.person.answersAll(.allowWhileUsing)
        let app = self.opened()
        self.manage(.init(.forbidden))
        #expect(app.authorizationStatus == .restricted && !app.isServed)
        self.manage(.init())
        #expect(app.authorizationStatus == .authorizedWhenInUse)
    }

    @Test func whatIsLockedStays() {
        self.device.owner.manage(Management(everyApp: .init(.locked)))
        let app = self.opened()
        #expect(app.authorizationStatus == .restricted && self.device.person.question == nil)
        self.device.owner.manage(Management())
        self.device.person.answer(.allowWhileUsing)
        self.device.owner.manage(Management(everyApp: .init(.locked)))
        self.device.person.set(app, to: .never)
        #expect(app.authorizationStatus == .authorizedWhenInUse)
        #expect(self.device.timeline.entries(of: "person").contains { $0.text.contains("locked by the owner") })
    }

    @Test(arguments: [
        (Management.StandingAnswer.never, CLAuthorizationStatus.denied, true),
        (.whileUsing(), .authorizedWhenInUse, true), (.whileUsing(precise: false), .authorizedWhenInUse, false),
    ])
    func aStandingAnswerAsksNobody(
        _ answer: Management.StandingAnswer,
        _ status: CLAuthorizationStatus,
        _ precise: Bool
    ) {
        self.manage(.init(answer: answer))
        let app = self.opened()
        #expect(app.authorizationStatus == status && app.isPrecise == precise)
        #expect(self.device.person.question == nil)
        #expect(app.isServed == (status == .authorizedWhenInUse))
    }

    @Test func anAppWithoutAFaceIsServedUnseen() {
        self.manage(.init(isHeadless: true, answer: .always()))
        let app = self.device.install(.weather)
        app.launchInBackground()
        self.device.advance(by: .seconds(600))
        #expect(app.isServed && app.launches == 1)
    }

    @Test func theRulesOutliveTheLocationService() {
        self.manage(.init(answer: .whileUsing()))
        self.device.restartLocationService(downFor: .seconds(5))
        self.manage(.init(.forbidden))
        self.device.advance(by: .seconds(6))
        #expect(self.opened().authorizationStatus == .restricted)
    }
}
