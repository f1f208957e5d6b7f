internal import CoreLocation
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Performs the troubles of a story, and describes the device to the story.
extension DeviceHost {
    var scene: Scene {
        var scene = Scene()
        scene.apps = self.apps.installed.map { bundle, app in
            let process = self.processes.app(bundle)
            return Scene.App(
                bundle: bundle.rawValue,
                isRunning: process != nil,
                isForeground: process?.phase == .foreground,
                isSuspended: process?.isSuspended ?? false,
                isOffloaded: self.apps.offloaded.contains(bundle),
                hasRefresh: !self.apps.withoutRefresh.contains(bundle),
                hasExtension: app.pushExtension != nil,
                extensionRuns: self.processes.pushExtension(of: bundle) != nil
            )
        }
        scene.asking = self.user.habit == nil ? self.user.prompt?.bundle.rawValue : nil
        scene.isOn = self.service.isOn
        scene.isLocked = self.apps.isLocked
        scene.isServing = self.service.isServing
        scene.areServicesOn = self.service.core.engine.areServicesOn
        scene.hasNetwork = self.gateway.isReachable
        scene.savesPower = self.gateway.savesPower
        scene.quirks = self.deliveries.quirks
        scene.delaysPushes = self.gateway.weather != nil
        return scene
    }

    /// Performs a trouble that the scene allows.
    func perform(_ trouble: Trouble, _ player: StoryPlayer) {
        switch trouble {
        case .answer(_, let answer): self.user.answer(answer)
        case .set(let app, let setting): self.user.set(BundleID(app), to: setting)
        case .setPrecise(let app, let precise): self.user.set(BundleID(app), precise: precise)
        case .open(let app): self.apps.open(BundleID(app))
        case .leave(let app): self.apps.leave(BundleID(app))
        case .close(let app): self.apps.terminate(BundleID(app), by: .person)
        case .terminate(let app): self.apps.terminate(BundleID(app), by: .system)
        case .terminateAtAwait(let app, let number): player.ends(app, at: number)
        case .crash(let app): self.apps.terminate(BundleID(app), by: .crash)
        case .update(let app): self.apps.update(BundleID(app))
        case .offload(let app): self.apps.offload(BundleID(app))
        case .cutExtension(let app):
            guard let process = self.processes.pushExtension(of: BundleID(app)) else { return }
            self.processes.end(process, "is cut off")
        case .moveClock(let duration): self.moveClock(by: duration)
        case .quirk(let quirk): self.deliveries.quirks.insert(quirk)
        case .newPushTokens: self.gateway.changeTokens()
        case .pushBudgetSpent: self.gateway.spendBudget()
        case .signalLost(let time):
            self.timeline.add(.event, "receiver", "sees no satellites for \(time)")
            self.world.loseSignal(for: time)
        case .stray(let metres, let time):
            self.timeline.add(.event, "receiver", "strays \(metres) m to the north for \(time)")
            let here = self.world.place
            let north = min(89, here.latitude + Double(metres) / 111_195)
            self.world.stray(to: CLLocationCoordinate2D(latitude: north, longitude: here.longitude), for: time)
        default: self.begin(trouble, player)
        }
    }

    /// Begins a trouble that lasts, and plans its end.
    private func begin(_ trouble: Trouble, _ player: StoryPlayer) {
        switch trouble {
        case .lock(let time):
            self.apps.lock()
            player.after(time, needsDevice: false) { [unowned self] in if self.service.isOn { self.unlock() } }
        case .locationServicesOff(let time):
            self.user.switchServices(on: false)
            player.after(time) { [unowned self] in self.user.switchServices(on: true) }
        case .airplaneMode(let time):
            self.gateway.switchNetwork(on: false)
            player.after(time) { [unowned self] in self.gateway.switchNetwork(on: true) }
        case .lowPowerMode(let time):
            self.gateway.switchLowPowerMode(on: true)
            player.after(time) { [unowned self] in self.gateway.switchLowPowerMode(on: false) }
        case .backgroundRefreshOff(let app, let time):
            self.apps.switchBackgroundRefresh(of: BundleID(app), on: false)
            player.after(time) { [unowned self] in self.apps.switchBackgroundRefresh(of: BundleID(app), on: true) }
        case .suspend(let app, let time):
            self.apps.suspend(BundleID(app))
            player.after(time) { [unowned self] in self.apps.wake(BundleID(app)) }
        case .serviceDown(let end, let time): self.restartService(end, downFor: time)
        case .reboot(let off, let locked):
            self.switchOff()
            player.after(off, needsDevice: false) { [unowned self] in
                guard !self.service.isOn else { return }
                self.switchOn(isLocked: locked > .zero)
                guard locked > .zero else { return }
                player.after(locked, needsDevice: false) { [unowned self] in if self.service.isOn { self.unlock() } }
            }
        case .pushesDoubled(let time): self.setPushWeather(.duplicated, for: time, player)
        case .pushesDelayed(let delay, let time): self.setPushWeather(.delayed(by: delay), for: time, player)
        case .pushesLost(let time): self.setPushWeather(.lost, for: time, player)
        default: preconditionFailure("\(trouble) does not last")
        }
    }

    private func setPushWeather(_ fate: LocationPush.Fate, for duration: Duration, _ player: StoryPlayer) {
        self.gateway.weather = fate
        player.after(duration) { [unowned self] in self.gateway.weather = nil }
    }
}
