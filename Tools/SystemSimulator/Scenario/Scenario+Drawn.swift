internal import WhereaboutsVocabulary

extension Scenario {
    /// Draws a scenario from a seed.
    ///
    /// Each seed leaves out some kinds of acts and of trouble altogether (swarm testing): a fault that is always mixed
    /// with all others is never seen alone, and some hide others.
    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let isLongDay = Int.random(in: 0..<24, using: &random) == 0
        self.init(empty: seed, healsAt: isLongDay ? 100_000 : Int.random(in: 120...900, using: &random))
        self.drawWorld(&random, isLongDay: isLongDay)
        self.drawAsking(&random, isLongDay: isLongDay)
        self.drawPeople(&random)
        if isLongDay, seed.isMultiple(of: 2) { self.devicePushes = 10_000 }
        // A long day tests the budget. Faults are left out, because they would leave less of the budget used.
        if !isLongDay {
            self.drawTrouble(&random)
            // From separate generators, so that the rest of a seed's world does not depend on these.
            var others = SeededGenerator(seed: seed ^ 0x6164_7665)
            if Int.random(in: 0..<3, using: &others) == 0 { self.drawAdversaries(&others, from: 0, most: 3) }
            if Int.random(in: 0..<4, using: &others) == 0 { self.drawBrokenDisks(&others) }
            var copies = SeededGenerator(seed: seed ^ 0x636F_7069)
            if Int.random(in: 0..<6, using: &copies) == 0 { self.drawOldFiles(&copies) }
            var places = SeededGenerator(seed: seed ^ 0x706C_6163)
            self.drawPlaces(&places)
            var travels = SeededGenerator(seed: seed ^ 0x7472_6176)
            self.drawTravels(&travels)
            var beacons = SeededGenerator(seed: seed ^ 0x6265_6163)
            self.drawBeacons(&beacons)
            var strays = SeededGenerator(seed: seed ^ 0x7374_7261)
            self.drawStrays(&strays)
            var purposes = SeededGenerator(seed: seed ^ 0x7075_7270)
            self.drawPurposes(&purposes)
            var starts = SeededGenerator(seed: seed ^ 0x7374_6172)
            self.drawFailedStarts(&starts)
            var displays = SeededGenerator(seed: seed ^ 0x6469_7370)
            self.drawDisplays(&displays)
            var limits = SeededGenerator(seed: seed ^ 0x6C69_6D69)
            self.drawLimits(&limits)
            var followings = SeededGenerator(seed: seed ^ 0x666F_6C6C)
            self.drawFollowings(&followings)
            var relays = SeededGenerator(seed: seed ^ 0x7265_6C61)
            self.drawRelay(&relays)
            var devices = SeededGenerator(seed: seed ^ 0x6465_7673)
            if Int.random(in: 0..<4, using: &devices) == 0 { self.drawDevices(&devices) }
            var forks = SeededGenerator(seed: seed ^ 0x666F_726B)
            if Int.random(in: 0..<6, using: &forks) == 0 { self.drawForks(&forks) }
            // The last, since it may prolong the world.
            var hoards = SeededGenerator(seed: seed ^ 0x686F_6172)
            if Int.random(in: 0..<3, using: &hoards) == 0 { self.drawHoards(&hoards) }
        }
        self.acts.sort { $0.at < $1.at }
    }

    init(empty seed: UInt64, healsAt: Int) {
        self.seed = seed
        self.healsAt = healsAt
        self.devices = []
        self.requesters = []
        self.grants = []
        self.acts = []
        self.deaths = []
    }

    private mutating func drawWorld(_ random: inout SeededGenerator, isLongDay: Bool) {
        for _ in 0..<(isLongDay ? 1 : Int.random(in: 1...4, using: &random)) {
            var apps = [Self.app(.friends, &random)]
            // On some long days two apps share the budget of pushes.
            if Bool.random(using: &random) { apps.append(Self.app(.friends, &random)) }
            if Bool.random(using: &random) { apps.append(Self.app(.workout, &random)) }
            if Bool.random(using: &random) { apps.append(Self.app(.weather, &random)) }
            if Bool.random(using: &random) { apps.append(Self.app(.compass, &random)) }
            let habits: [Habit] = [.allowsAll, .allowsAll, .allowsAll] + Habit.allCases
            self.devices.append(
                DevicePlan(
                    speed: Bool.random(using: &random) ? 0 : Int.random(in: 1...30, using: &random),
                    apps: apps,
                    habit: isLongDay ? .allowsAll : habits[Int.random(in: habits.indices, using: &random)]
                )
            )
        }
        for _ in 0..<Int.random(in: 1...3, using: &random) { self.requesters.append(RequesterPlan(clockError: 0)) }
        for device in self.devices.indices {
            for app in self.devices[device].apps.indices where self.devices[device].apps[app].kind == .friends {
                for requester in self.requesters.indices {
                    let isForever = isLongDay || Int.random(in: 0..<4, using: &random) > 0
                    let interval =
                        Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 1...120, using: &random) : 0
                    self.grants.append(
                        GrantPlan(
                            device: device,
                            app: app,
                            requester: requester,
                            isFull: Int.random(in: 0..<3, using: &random) > 0,
                            holds: isForever ? -3600...1_000_000 : 0...Int.random(in: 1...self.healsAt, using: &random),
                            // A grant without an interval has the server's pace, with which the budget never runs out.
                            interval: isLongDay ? max(1, interval) : interval
                        )
                    )
                }
            }
        }
        // Open each app once, one after the other, so that they begin to share.
        for device in self.devices.indices {
            for app in self.devices[device].apps.indices {
                let at = 500 + app * 12_000 + device * 100
                if Bool.random(using: &random) { self.act(at - 1, .use(device: device, app: app, isOn: true)) }
                self.act(at, .open(device: device, app: app))
                self.act(at + 11_000, .hide(device: device, app: app))
            }
        }
    }

    /// Some grants hold at some hours only, or for some uses, or ask the person.
    private mutating func drawLimits(_ random: inout SeededGenerator) {
        // The run begins at eight o'clock, UTC.
        let beginning = 480
        for index in self.grants.indices {
            if Int.random(in: 0..<8, using: &random) == 0 {
                let opening = beginning + Int.random(in: -10...5, using: &random)
                self.grants[index].hours = [opening, opening + Int.random(in: 5...30, using: &random)]
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                self.grants[index].usesMax = Int.random(in: 1...6, using: &random)
            }
            if Int.random(in: 0..<8, using: &random) == 0 { self.grants[index].asksPerson = true }
        }
    }

    /// Some grants allow a live share, which the requester begins and either side may end.
    private mutating func drawFollowings(_ random: inout SeededGenerator) {
        for index in self.grants.indices where Int.random(in: 0..<3, using: &random) == 0 {
            self.grants[index].followMinutes = Int.random(in: 1...20, using: &random)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 20_000...self.healsAt * 1000, using: &random)
                let what = Act.What.follow(
                    grant: index,
                    precisely: Bool.random(using: &random),
                    minutes: Int.random(in: 1...20, using: &random)
                )
                self.act(at, what)
                let plan = self.grants[index]
                let end = at + Int.random(in: 5000...300_000, using: &random)
                guard end < self.healsAt * 1000 else { continue }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: self.act(end, .stopFollowing(requester: plan.requester))
                case 1: self.act(end, .endFollowings(device: plan.device, app: plan.app))
                case 2: self.act(end, .revoke(grant: index))
                default: break
                }
            }
        }
    }

    /// Some devices have an app that monitors places, which the person opens and leaves.
    private mutating func drawPlaces(_ random: inout SeededGenerator) {
        for device in self.devices.indices where Bool.random(using: &random) {
            let app = self.devices[device].apps.count
            self.devices[device].apps.append(Self.app(.places, &random))
            // Often enough that some conditions are abandoned.
            self.devices[device].apps[app].isForgetful = Int.random(in: 0..<3, using: &random) == 0
            let at = 700 + app * 12_000 + device * 100
            self.act(at, .open(device: device, app: app))
            self.act(at + 11_000, .hide(device: device, app: app))
            if Bool.random(using: &random) { self.act(self.anyTime(&random), .crash(device: device, app: app)) }
            if Bool.random(using: &random) { self.act(self.anyTime(&random), .open(device: device, app: app)) }
        }
    }

    /// Some devices have an app for significant changes and visits, and move and rest alternately.
    private mutating func drawTravels(_ random: inout SeededGenerator) {
        for device in self.devices.indices where Bool.random(using: &random) {
            let app = self.devices[device].apps.count
            self.devices[device].apps.append(Self.app(.travels, &random))
            self.devices[device].rests = true
            let at = 900 + app * 12_000 + device * 100
            self.act(at, .open(device: device, app: app))
            self.act(at + 11_000, .hide(device: device, app: app))
            if Bool.random(using: &random) { self.act(self.anyTime(&random), .crash(device: device, app: app)) }
        }
    }

    /// Some devices have apps for beacons, which come and go; most of these devices have a scanner, and some scanners fail.
    private mutating func drawBeacons(_ random: inout SeededGenerator) {
        for device in self.devices.indices where Bool.random(using: &random) {
            if Int.random(in: 0..<6, using: &random) > 0 {
                self.devices[device].beacons = (1...Int.random(in: 1...3, using: &random)).map { number in
                    BeaconPlan(
                        major: Int.random(in: 1...2, using: &random),
                        minor: number,
                        metres: Int.random(in: 1...20, using: &random),
                        stay: Int.random(in: 3...120, using: &random),
                        absence: Int.random(in: 0...150, using: &random)
                    )
                }
            }
            for kind in [AppPlan.Kind.guide, .doors] where Bool.random(using: &random) {
                let app = self.devices[device].apps.count
                self.devices[device].apps.append(Self.app(kind, &random))
                let at = 1100 + app * 12_000 + device * 100
                self.act(at, .open(device: device, app: app))
                self.act(at + 11_000, .hide(device: device, app: app))
                if Bool.random(using: &random) { self.act(self.anyTime(&random), .crash(device: device, app: app)) }
                if Bool.random(using: &random) { self.act(self.anyTime(&random), .open(device: device, app: app)) }
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let span = Int.random(in: 1000...60_000, using: &random)
                let fault = Self.any(ScannerFault.allCases, &random)
                self.act(self.anyTime(&random), .deafen(device: device, fault, milliseconds: span))
            }
        }
    }

    /// Some receivers err now and then.
    private mutating func drawStrays(_ random: inout SeededGenerator) {
        for device in self.devices.indices where Bool.random(using: &random) { self.devices[device].strays = true }
    }

    /// Some apps end, and the person's next start of them fails.
    private mutating func drawFailedStarts(_ random: inout SeededGenerator) {
        for device in self.devices.indices where Int.random(in: 0..<6, using: &random) == 0 {
            let app = Int.random(in: self.devices[device].apps.indices, using: &random)
            let at = self.anyTime(&random)
            self.act(at, .crash(device: device, app: app))
            self.act(at + 500, .misbehave(device: device, app: app, .fails))
            self.act(at + 1000, .open(device: device, app: app))
            self.act(at + 2000, .misbehave(device: device, app: app, .none))
        }
    }

    /// Some apps that ask for full accuracy each time may know the approximate location only, and are opened more often.
    private mutating func drawPurposes(_ random: inout SeededGenerator) {
        for device in self.devices.indices {
            for app in self.devices[device].apps.indices
            where [.weather, .workout].contains(self.devices[device].apps[app].kind) && Bool.random(using: &random) {
                self.devices[device].apps[app].isReduced = true
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let at = self.anyTime(&random)
                    self.act(at, .open(device: device, app: app))
                    self.act(at + 11_000, .hide(device: device, app: app))
                }
            }
        }
    }

    private mutating func drawDisplays(_ random: inout SeededGenerator) {
        for device in self.devices.indices where self.devices[device].beacons != nil {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                self.act(self.anyTime(&random), .lightDisplay(device: device))
            }
        }
    }

    private static func app(_ kind: AppPlan.Kind, _ random: inout SeededGenerator) -> AppPlan {
        let isClassic = kind == .friends && Int.random(in: 0..<5, using: &random) == 0
        return AppPlan(
            kind: kind,
            // A classic app creates no sessions: if it required explicit ones, it would never be served.
            isExplicit: !isClassic && Bool.random(using: &random),
            isReduced: Int.random(in: 0..<5, using: &random) == 0,
            isClassic: isClassic,
            isForgetful: Int.random(in: 0..<6, using: &random) == 0
        )
    }

    private mutating func drawAsking(_ random: inout SeededGenerator, isLongDay: Bool) {
        // A long day asks more than the budget has: one push every minute or two, on top of a hundred in its beginning.
        let count = isLongDay ? 900 : Int.random(in: 5...60, using: &random)
        // On some days one app gets more requests, and uses up its share of the budget; on others the whole budget is used up.
        let favourites = self.grants.indices.filter { self.grants[$0].app == 0 }
        let hasFavourite = isLongDay && Bool.random(using: &random)
        for number in 0..<count {
            let isBurst = isLongDay && number < 150
            let grants = hasFavourite && number % 5 > 0 ? favourites : Array(self.grants.indices)
            self.act(
                Int.random(in: 20_000...(isBurst ? 3_000_000 : self.healsAt * 1000), using: &random),
                .ask(
                    grant: Self.any(grants, &random),
                    precisely: Bool.random(using: &random),
                    xWing: Int.random(in: 0..<4, using: &random) == 0
                )
            )
        }
    }

    private mutating func drawPeople(_ random: inout SeededGenerator) {
        for (device, plan) in self.devices.enumerated() {
            // Each person does some of these things, and not the others.
            let kinds = (0..<10).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            for _ in 0..<(kinds.isEmpty ? 0 : Int.random(in: 0...12, using: &random)) {
                let app = Int.random(in: plan.apps.indices, using: &random)
                let what: Act.What =
                    switch kinds[Int.random(in: kinds.indices, using: &random)] {
                    case 0: .open(device: device, app: app)
                    case 1: .hide(device: device, app: app)
                    case 2: .close(device: device, app: app)
                    case 3: .use(device: device, app: app, isOn: Bool.random(using: &random))
                    case 4: .set(device: device, app: app, Self.any(Setting.allCases, &random))
                    case 5: .setPrecise(device: device, app: app, Bool.random(using: &random))
                    case 6: .switchServices(device: device, isOn: Bool.random(using: &random))
                    case 7: .behave(device: device, Self.any(Habit.allCases, &random))
                    case 8: .uninstall(device: device, app: app)
                    default: .forbid(device: device, app: app, Bool.random(using: &random))
                    }
                self.act(self.anyTime(&random), what)
            }
            if !self.grants.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                self.act(self.anyTime(&random), .revoke(grant: Int.random(in: self.grants.indices, using: &random)))
            }
        }
    }

    private mutating func drawTrouble(_ random: inout SeededGenerator) {
        let kinds = (0..<9).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        let nodes = [.gateway, .server] + self.devices.indices.map(NodeID.device)
        for _ in 0..<(kinds.isEmpty ? 0 : Int.random(in: 1...12, using: &random)) {
            let node = Self.any(nodes, &random)
            let anyone = Self.any(nodes + self.requesters.indices.map(NodeID.requester), &random)
            let device = Int.random(in: self.devices.indices, using: &random)
            let app = Int.random(in: self.devices[device].apps.indices, using: &random)
            let span = Int.random(in: 500...90_000, using: &random)
            let what: Act.What =
                switch kinds[Int.random(in: kinds.indices, using: &random)] {
                case 0: .kill(node, milliseconds: Int.random(in: 10...30_000, using: &random))
                case 1: .cut(anyone, Self.any([.gateway, .server], &random), milliseconds: span)
                case 2: .weather(Self.weather(&random))
                case 3: .stepClock(anyone, seconds: Int.random(in: -4000...4000, using: &random))
                case 4: .fillDisk(node, milliseconds: span)
                case 5: .slow(anyone, milliseconds: span, by: Int.random(in: 100...12_000, using: &random))
                case 6: .crash(device: device, app: app)
                case 7: .misbehave(device: device, app: app, Self.any(Misbehaviour.allCases, &random))
                default: .receive(device: device, Bool.random(using: &random))
                }
            self.act(self.anyTime(&random), what)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                self.deaths.append(
                    Death(
                        node: Self.any(nodes, &random),
                        write: Int.random(in: 1...120, using: &random),
                        isAfter: Bool.random(using: &random)
                    )
                )
            }
        }
    }

    private static func weather(_ random: inout SeededGenerator) -> Network.Weather {
        func often(_ most: Int) -> Int { Bool.random(using: &random) ? 0 : Int.random(in: 1...most, using: &random) }
        return Network.Weather(
            delay: 5...Int.random(in: 20...3000, using: &random),
            lossPerMille: often(300),
            repeatPerMille: often(300),
            latePerMille: often(200)
        )
    }

    private static func any<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private func anyTime(_ random: inout SeededGenerator) -> Int {
        Int.random(in: 0...self.healsAt * 1000, using: &random)
    }

    private mutating func act(_ at: Int, _ what: Act.What) {
        self.acts.append(Act(at: at, what: what))
    }
}
