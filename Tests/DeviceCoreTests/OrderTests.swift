internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Goal: an order is checked completely before it changes anything.
@Suite struct OrderTests {
    private let app = CoreOnPaper.app
    private let unknown = BundleID("com.example.Unknown")

    @Test func nothingIsDoneForAnAppThatIsNotInstalled() {
        var core = CoreOnPaper()
        let orders: [Order] = [
            .run(self.unknown, .foreground), .close(self.unknown, by: .person), .show(self.unknown, .foreground),
            .remove(self.unknown), .change(SettingsChange(bundle: self.unknown, location: .always)),
            .change(SettingsChange(bundle: self.unknown, areServicesOn: false)),
        ]
        for (number, order) in orders.enumerated() {
            #expect(core.order(order) == ["answer \(number + 1): not installed"])
        }
        #expect(core.core.engine.areServicesOn)
    }

    @Test func anAppThatDoesNotRunIsNotShown() {
        var core = CoreOnPaper()
        #expect(core.order(.show(self.app, .foreground)) == ["answer 1: not running"])
    }

    @Test(arguments: [Management.Restriction.locked, .forbidden])
    func peopleDoNotChangeWhatTheOwnerDecided(_ restriction: Management.Restriction) {
        var core = CoreOnPaper()
        var rules = Management(locationServices: true)
        rules.apps[self.app] = .init(restriction: restriction)
        _ = core.report(.happened(.managementChanged(rules)))
        #expect(
            core.order(.change(SettingsChange(bundle: self.app, location: .always))) == ["answer 1: restricted"]
        )
        #expect(core.order(.change(SettingsChange(bundle: self.app, isPrecise: false))) == ["answer 2: restricted"])
        #expect(core.order(.change(SettingsChange(areServicesOn: false))) == ["answer 3: services are managed"])
        #expect(core.core.engine.areServicesOn)
    }

    /// Goal: an app does not continue with deleted files.
    ///
    /// The person who installed the new version is notified when the old one has ended.
    @Test func theVersionThatRunsEndsWhenAnotherIsInstalled() {
        var core = CoreOnPaper()
        core.runsRegistered()
        let words = core.order(.install(self.app, CoreOnPaper.manifest))
        #expect(words.contains("end app") && !words.contains { $0.hasPrefix("answer 3") })
        let ended = core.report(.appEnded(self.app, .signalled(15)))
        #expect(ended.contains("answer 3: done"))
        // This end does not count as a failure of the app, and its authorization stays.
        #expect(core.core.engine.status(of: self.app)?.authorization == .always)
        #expect(core.core.engine.status(of: self.app)?.monitorsPushes == true)
    }

    @Test func aVersionThatDoesNotRunIsReplacedAtOnce() {
        var core = CoreOnPaper()
        #expect(core.order(.install(self.app, CoreOnPaper.manifest)).contains("answer 1: done"))
        #expect(core.order(.install(self.unknown, CoreOnPaper.manifest)).contains("answer 2: done"))
        #expect(core.core.engine.isInstalled(self.unknown))
    }

    @Test func anEmptyChangeIsDoneAndChangesNothing() {
        var core = CoreOnPaper()
        #expect(core.order(.change(SettingsChange())) == ["answer 1: done"])
    }
}
