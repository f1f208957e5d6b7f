internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Draws events for the device's core, as processes, people, gateways and disks cause them.
extension Draw {
    private mutating func message(now: Now) -> ClientMessage {
        switch self.byte() % 11 {
        case 10: .monitorChange(self.monitorChange())
        case 0, 1, 2: .declaration(self.declaration())
        case 3: .authorizationRequest(self.bool() ? .always : .whenInUse)
        case 4: .fullAccuracyRequest(purpose: self.text(["Navigation"]), request: self.number())
        case 5: .pushTokenRequest(request: self.number())
        case 6: .stopMonitoringPushes
        case 7: .pushCompleted(self.pushID())
        case 8: .phaseReport(self.phase())
        default: .geocodeRequest(self.question(), request: self.number())
        }
    }

    private mutating func question() -> GeocodeQuestion? {
        let circle = self.maybe { draw in
            GeocodeQuestion.Circle(
                latitude: draw.number(),
                longitude: draw.number(),
                radius: Double(bitPattern: draw.number())
            )
        }
        return GeocodeQuestion(
            self.bool()
                ? .address(self.text(["Hamburg", " "]), near: circle)
                : .place(latitude: self.number(), longitude: self.number()),
            languages: self.text(["de", "en;q=0.5\r\nHost: a"])
        )
    }

    private mutating func order(now: Now) -> Order {
        switch self.byte() % 6 {
        case 0: .run(self.bundle(), self.phase(), arguments: self.some(2) { $0.text(["-v"]) })
        case 1: .close(self.bundle(), by: self.bool() ? .person : .system)
        case 2: .show(self.bundle(), self.phase())
        case 3: self.rarely(4) ? .remove(self.bundle()) : .show(self.bundle(), .foreground)
        case 4:
            .change(
                SettingsChange(
                    bundle: self.maybe { $0.bundle() },
                    areServicesOn: self.rarely() ? self.bool() : nil,
                    location: self.maybe { $0.one(of: [.always, .whileUsing, .never]) },
                    isPrecise: self.maybe { $0.bool() }
                )
            )
        default: .push(self.push(now: now))
        }
    }

    private mutating func beginning(now: Now) -> DeviceCore.Beginning {
        DeviceCore.Beginning(
            management: self.management(),
            processes: self.some(3) { draw in .init(bundle: draw.bundle(), phase: draw.maybe { $0.phase() }) },
            pushes: self.some(20) { $0.push(now: now) }
        )
    }

    /// The facts that shells report directly to the engine.
    private mutating func fact(now: Now) -> Engine.Input {
        switch self.byte() % 10 {
        case 0: .appInstalled(self.bundle(), self.manifest())
        case 1: .managementChanged(self.rarely(3) ? self.management() : Management())
        case 2: .promptAnswered(self.prompt, self.answer())
        case 3: .sensed(.fix(self.fix(now: now)))
        case 4: .sensed(self.one(of: [.ready(.receiver), .lost(.receiver)]))
        case 5: .pushTokenReceived(self.bundle(), self.some(40) { $0.byte() })
        case 6: self.bool() ? .topicUnregistered(self.bundle()) : .pushRegistrationFailed(self.bundle())
        case 7: .activityDismissed(self.bundle(), title: self.text(["Run"]))
        case 8: .displayLit
        default: .pushTokenReceived(self.bundle(), [1])
        }
    }

    /// Whether each source is coarse.
    static let sources = [false, true, false]

    private mutating func wordOfSource(now: Now) -> DeviceCore.Event {
        let source = Int(self.byte()) % Self.sources.count
        return switch self.byte() % 8 {
        case 0: .recordingChanged(isRecorded: self.bool())
        case 1: .sourceReported(.lost, from: source)
        case 2: .sourceReported(.ready, from: source)
        default: .sourceReported(.measured(.fix(self.fix(now: now))), from: source)
        }
    }

    /// Any event, plausible or not.
    mutating func event(now: Now) -> DeviceCore.Event {
        let choice = self.byte()
        // Draws the new choice from the remaining bytes, so that the inputs in `FailCases` keep their meaning.
        guard choice < 240 else { return self.wordOfSource(now: now) }
        return switch choice % 24 {
        case 0, 1, 2, 3: .happened(self.fact(now: now))
        case 4: self.rarely(4) ? .begun(self.beginning(now: now)) : .deadlineReached
        case 5, 6:
            .connectionOpened(
                self.newClient(),
                self.principal(),
                Caller(user: self.maybe { $0.number() }, isLaunched: self.bool())
            )
        case 7, 8, 9, 10, 11: .messageReceived(self.message(now: now), from: self.client())
        case 12: .connectionClosed(self.client())
        case 13: .appStarted(self.bundle())
        case 14: .appEnded(self.bundle(), self.end())
        case 15: .extensionEnded(self.launch(), self.end())
        case 16: self.bool() ? .stateSaved : .stateNotSaved(reason: self.text(["full"]))
        case 17, 18: .pushArrived(self.push(now: now))
        case 19: .pushKept(self.pushID())
        case 20:
            .lookedUp(LookUpID(rawValue: self.number()), self.one(of: [.noResult, .places([]), .unreachable("no")]))
        case 21, 22: .ordered(self.order(now: now), OrderID(self.number()))
        default: self.rarely(64) ? .endOrdered : .deadlineReached
        }
    }
}
