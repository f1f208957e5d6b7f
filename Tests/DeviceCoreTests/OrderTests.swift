internal import DeviceCore
internal import LocationEngine
internal import Testing

/// Orders are looked at whole before anything is changed.
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

    @Test func anEmptyChangeIsDoneAndChangesNothing() {
        var core = CoreOnPaper()
        #expect(core.order(.change(SettingsChange())) == ["answer 1: done"])
    }
}
