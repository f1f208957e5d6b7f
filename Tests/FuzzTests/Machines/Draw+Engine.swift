internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Draws facts for the engine. They are about few apps and clients, so that they interact, and about some that do not
/// exist.
extension Draw {
    static let bundles = ["com.example.A", "com.example.B", "com.example.C", "com.example.nowhere", ""]
        .map { BundleID($0) }
    /// The app that ``EngineTarget/beginning`` is about.
    static let first = BundleID("com.example.A")
    private static let words = ["Navigation", "Run", "Other"]

    mutating func bundle() -> BundleID { self.bool() ? Self.first : self.one(of: Self.bundles) }

    mutating func launch() -> LaunchID { self.rarely(4) ? LaunchID(self.number()) : self.extensionProcess.launch }

    mutating func phase() -> Lifecycle.Phase { self.bool() ? .foreground : .background }

    mutating func arrival() -> Lifecycle.Arrival {
        Lifecycle.Arrival(phase: self.phase(), isManaged: self.bool(), reason: self.one(of: [.user, .location, .push]))
    }

    mutating func principal() -> Principal {
        if self.bool() { return Principal(bundle: self.bundle(), role: .app) }
        let bundle = self.rarely(4) ? self.bundle() : self.extensionProcess.bundle
        return Principal(bundle: bundle, role: .pushExtension(self.launch()))
    }

    /// Usually the app that has every permission.
    mutating func manifest() -> AppManifest {
        let isFull = !self.rarely(4)
        return AppManifest(
            explainsWhenInUse: isFull || self.bool(),
            explainsAlways: isFull || self.bool(),
            requiresExplicitSessions: self.bool(),
            purposes: self.some(2) { $0.text(Self.words) },
            defaultsToReducedAccuracy: self.rarely(4),
            mayRunInBackground: isFull || self.bool(),
            mayReceiveLocationPushes: isFull || self.bool(),
            hasPushEnvironment: isFull || self.bool(),
            hasPushExtension: isFull || self.bool()
        )
    }

    mutating func management() -> Management {
        Management(
            locationServices: self.rarely(4) ? self.bool() : nil,
            apps: Dictionary(self.some(2) { ($0.bundle(), $0.rule()) }) { $1 },
            everyApp: self.rule()
        )
    }

    private mutating func rule() -> Management.Rule {
        Management.Rule(
            restriction: self.one(of: [.none, .none, .locked, .forbidden]),
            isHeadless: self.rarely(4),
            answer: self.one(of: [nil, nil, .never, .whileUsing(precise: true), .always(precise: false)])
        )
    }

    mutating func service() -> Service {
        switch self.byte() % 6 {
        case 5: .ranging(self.beacons())
        case 3: .significantChanges
        case 4: .visits
        case 0: .live(self.one(of: LiveConfiguration.allCases))
        case 1: .once(desiredAccuracy: self.number())
        default:
            .standard(
                StandardOptions(
                    desiredAccuracy: self.number(),
                    distanceFilter: self.number(),
                    activity: self.one(of: LiveConfiguration.allCases),
                    pausesAutomatically: self.bool(),
                    allowsBackground: self.bool(),
                    showsIndicator: self.bool()
                )
            )
        }
    }

    private mutating func beacons() -> BeaconIdentity {
        BeaconIdentity(
            uuid: self.beacon().uuid,
            major: self.rarely(3) ? nil : UInt16(self.byte() % 3),
            minor: self.rarely(3) ? nil : UInt16(self.byte() % 3)
        )
    }

    private mutating func beacon() -> Beacon {
        let uuid = Beacon.OwnerID(high: 7, low: UInt64(self.byte() % 2))
        return Beacon(uuid: uuid, major: UInt16(self.byte() % 3), minor: UInt16(self.byte() % 3))
    }

    private mutating func scannerReport() -> SensorReport {
        switch self.byte() % 6 {
        case 0: .ready(.scanner)
        case 1: .lost(.scanner)
        case 2: .scanned(nil)
        default:
            .scanned(
                Advertisement(
                    beacon: self.beacon(),
                    rssi: self.number(),
                    measuredPower: self.rarely() ? self.number() : -59
                )
            )
        }
    }

    mutating func declaration() -> Declaration {
        let most = self.rarely(64) ? 300 : 3
        return Declaration(
            sessions: self.some(most) {
                .init(
                    id: $0.number(),
                    requirement: $0.one(of: [.none, .whenInUse, .always]),
                    fullAccuracyPurpose: $0.rarely(4) ? $0.text(Self.words) : nil
                )
            },
            streams: self.some(most) { .init(id: $0.number(), service: $0.service()) },
            activities: self.some(most) {
                .init(id: $0.number(), kind: $0.bool() ? .backgroundSession : .liveActivity(title: $0.text(Self.words)))
            },
            monitors: self.some(most) { draw in
                let name = draw.one(of: ["home", "work", Declaration.Monitor.ofRegions])
                return .init(id: UInt64(draw.byte() % 4), name: name, isRead: !draw.rarely(4))
            }
        )
    }

    /// A change of one of the few monitors that are declared.
    mutating func monitorChange() -> MonitorChange {
        let identifier = self.text(["a", "b", "c"])
        let circle = Condition.Circle(
            latitude: self.rarely() ? self.number() : 535_000_000 + Int32(self.byte()) * 1000,
            longitude: self.rarely() ? self.number() : 100_000_000,
            radius: self.rarely() ? self.number() : 100_000
        )
        let condition: Condition = self.rarely(3) ? .beacon(self.beacons()) : .circle(circle)
        let kind: MonitorChange.Kind =
            switch self.byte() % 6 {
            case 0: .remove(identifier: identifier)
            case 1, 2: .handled(UInt64(self.byte()))
            default:
                .add(
                    identifier: self.rarely(8) ? "\(self.number(UInt16.self))" : identifier,
                    condition,
                    assuming: self.one(of: ConditionState.allCases),
                    Notices(rawValue: self.byte() % 16)
                )
            }
        return MonitorChange(monitor: UInt64(self.byte() % 4), number: self.number(), kind: kind)
    }

    mutating func pushID() -> PushID { PushID(high: 0, low: UInt64(self.byte())) }

    mutating func push(now: Now) -> Push {
        Push(
            id: self.pushID(),
            bundle: self.bundle(),
            payload: [UInt8](repeating: 0x7B, count: self.rarely() ? Int(self.number(UInt16.self)) : 2),
            isObject: !self.rarely(),
            priority: self.one(of: [.immediate] + Push.Priority.allCases),
            collapseID: self.rarely(4) ? self.text(Self.words) : nil,
            expiration: self.maybe { draw in
                draw.bool() ? now.wall.advanced(by: draw.pause()) : WallTime(seconds: draw.number())
            },
            // The gateway's time is not trusted: the device reads its own clock.
            received: now.monotonic
        )
    }

    /// A fix of a correct receiver, or of a receiver that sends any values.
    mutating func fix(now: Now) -> Fix {
        let isSane = !self.rarely(4)
        return Fix(
            latitude: isSane ? 520_000_000 + Int32(self.byte()) * 9000 : self.number(),
            longitude: isSane ? 130_000_000 : self.number(),
            horizontalAccuracy: self.rarely(8) ? nil : isSane ? 5000 : self.number(),
            altitude: self.maybe { $0.number() },
            verticalAccuracy: self.maybe { $0.number() },
            course: self.maybe { $0.number() },
            speed: self.maybe { $0.number() },
            time: isSane ? now.wall : WallTime(microseconds: self.number()),
            arrival: now.monotonic
        )
    }

    mutating func end() -> Engine.ProcessEnd {
        self.one(of: [
            .exited(0), .exited(self.number()), .signalled(9), .signalled(self.number()), .neverStarted(self.number()),
            .neverConnected,
        ])
    }

    mutating func answer() -> Prompt.Answer {
        self.one(of: [
            .allowWhileUsing(precise: true), .changeToAlways, .allowFullAccuracy, .dontAllow,
            .allowOnce(precise: false),
            .keepWhileUsing, .denyFullAccuracy, .allowWhileUsing(precise: false),
        ])
    }

    /// Any input, plausible or not.
    mutating func input(now: Now) -> Engine.Input {
        switch self.byte() % 38 {
        case 32, 33, 34: .monitorChanged(self.client(), self.monitorChange())
        case 35: .storageChanged(isAvailable: !self.rarely(3))
        case 0: .appInstalled(self.bundle(), self.manifest())
        case 1: self.rarely(4) ? .appUninstalled(self.bundle()) : .deadlineReached
        case 2: .servicesSwitched(on: !self.rarely(3))
        case 3: self.rarely(3) ? .managementChanged(self.management()) : .managementChanged(Management())
        case 4: .appStarted(self.bundle(), self.arrival())
        case 5: .clientConnected(self.newClient(), self.principal(), self.arrival())
        case 6: .clientConnected(self.client(), self.principal(), self.arrival())
        case 7, 8, 9: .clientDeclared(self.client(), self.declaration())
        case 10: .authorizationRequested(self.client(), self.bool() ? .always : .whenInUse)
        case 11: .fullAccuracyRequested(self.client(), purpose: self.text(Self.words), request: self.number())
        case 12: .pushTokenRequested(self.client(), request: self.number())
        case 13: .pushMonitoringStopped(self.client())
        case 14: .clientVanished(self.client())
        case 15: .terminationBegan(self.bundle(), by: self.bool() ? .person : .system)
        case 16: .appExited(self.bundle(), self.end())
        case 17: .phaseReported(self.client(), self.phase())
        case 18: .phaseChanged(self.bundle(), self.phase())
        case 19: .activityDismissed(self.bundle(), title: self.text(Self.words))
        case 20:
            .authorizationSet(
                self.bundle(),
                self.one(of: [.always, .always, .always] + Authorization.Setting.allCases)
            )
        case 21: .accuracySet(self.bundle(), precise: self.bool())
        case 22: .promptAnswered(self.rarely(4) ? PromptID(self.number()) : self.prompt, self.answer())
        case 23: .pushTokenReceived(self.bundle(), self.some(40) { $0.byte() })
        case 24: self.bool() ? .topicUnregistered(self.bundle()) : .pushRegistrationFailed(self.bundle())
        case 25: .pushReceived(self.push(now: now))
        case 26: self.bool() ? .pushRecovered(self.push(now: now)) : .pushReceived(self.push(now: now))
        case 27: .pushCompleted(self.client(), self.pushID())
        case 28: .extensionExited(self.bundle(), self.launch(), self.end())
        case 29: .sensed(self.one(of: [.ready(.receiver), .lost(.receiver)]))
        case 30: .sensed(.fix(self.fix(now: now)))
        case 31: .sensed(self.scannerReport())
        case 36: .displayLit
        default: .deadlineReached
        }
    }
}
