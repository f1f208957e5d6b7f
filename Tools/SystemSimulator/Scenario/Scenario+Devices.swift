internal import WhereaboutsVocabulary

extension Scenario {
    /// Adds devices for a person who has one: restored from a backup, chosen, removed and lost, with clocks that differ.
    ///
    /// - Parameter random: draws the number of devices, and what happens to them.
    mutating func drawDevices(_ random: inout SeededGenerator) {
        let sharing = self.devices.indices.filter { self.devices[$0].apps.first?.kind == .friends }
        guard let first = sharing.randomElement(using: &random) else { return }
        let apps = Array(self.devices[first].apps.prefix { $0.kind == .friends })
        let added = self.devices.count..<self.devices.count + Int.random(in: 1...2, using: &random)
        for device in added {
            self.devices.append(
                DevicePlan(
                    speed: Int.random(in: 0...20, using: &random),
                    apps: apps,
                    habit: .allowsAll,
                    personOf: first
                )
            )
            self.drawRestoring(of: device, backUp: first, &random)
        }
        let all = [first] + added
        let end = self.healsAt * 1000
        func any() -> Int { all[Int.random(in: all.indices, using: &random)] }
        func anyTime() -> Int { Int.random(in: min(30_000, end)...end, using: &random) }
        func some(_ most: Int) -> Range<Int> { 0..<Int.random(in: 0...most, using: &random) }
        var changes: [Int] = []
        for app in apps.indices {
            for _ in some(4) {
                changes.append(anyTime())
                self.acts.append(Act(at: changes[changes.count - 1], what: .answerHere(device: any(), app: app)))
            }
            for _ in some(2) {
                changes.append(anyTime())
                let what = Act.What.removeDevice(any(), by: any(), app: app)
                self.acts.append(Act(at: changes[changes.count - 1], what: what))
            }
        }
        for _ in some(1) { self.acts.append(Act(at: anyTime(), what: .backUp(device: any()))) }
        if Int.random(in: 0..<4, using: &random) == 0 { self.drawRestoring(of: any(), backUp: first, &random) }
        if Int.random(in: 0..<4, using: &random) == 0 {
            self.acts.append(Act(at: anyTime(), what: .lose(device: any())))
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let seconds = Int.random(in: -4000...4000, using: &random)
            self.acts.append(Act(at: anyTime(), what: .stepClock(.device(any()), seconds: seconds)))
        }
        for _ in some(2) {
            let span = Int.random(in: 1000...60_000, using: &random)
            let other = Bool.random(using: &random) ? NodeID.server : .gateway
            self.acts.append(Act(at: anyTime(), what: .cut(.device(any()), other, milliseconds: span)))
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            let span = Int.random(in: 1000...60_000, using: &random)
            self.acts.append(Act(at: anyTime(), what: .serverLies(.withholds, milliseconds: span)))
        }
        self.drawAsking(of: first, around: changes, &random)
    }

    /// The person's backup is restored on a device, and the sharing apps are opened there.
    private mutating func drawRestoring(of device: Int, backUp first: Int, _ random: inout SeededGenerator) {
        let end = self.healsAt * 1000
        let at = Int.random(in: min(13_000, end)...end, using: &random)
        // An old backup, or one of this moment.
        if Bool.random(using: &random) {
            self.acts.append(Act(at: Int.random(in: 0...at, using: &random), what: .backUp(device: first)))
        }
        self.acts.append(Act(at: at, what: .restore(device: device)))
        for app in self.devices[device].apps.indices where self.devices[device].apps[app].kind == .friends {
            let opens = at + 1000 + app * 12_000
            guard opens + 11_000 < end else { return }
            self.acts.append(Act(at: opens, what: .open(device: device, app: app)))
            self.acts.append(Act(at: opens + 11_000, what: .hide(device: device, app: app)))
        }
    }

    /// Requesters ask the person throughout the run, and the person revokes a grant on any of their devices.
    private mutating func drawAsking(of first: Int, around changes: [Int], _ random: inout SeededGenerator) {
        let grants = self.grants.indices.filter { self.grants[$0].device == first }
        guard !grants.isEmpty else { return }
        let end = self.healsAt * 1000
        func any() -> Int { grants[Int.random(in: grants.indices, using: &random)] }
        let free = (0..<Int.random(in: 5...30, using: &random)).map { _ in
            Int.random(in: min(20_000, end)...end, using: &random)
        }
        // Some requests are under way at a change, and some come right after it.
        let close = changes.flatMap { change in
            [Int.random(in: -1200...0, using: &random), Int.random(in: 200...1500, using: &random)].map { distance in
                min(end, max(0, change + distance))
            }
        }
        for at in free + close {
            let precisely = Bool.random(using: &random)
            self.acts.append(Act(at: at, what: .ask(grant: any(), precisely: precisely, xWing: false)))
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let on = Int.random(in: self.devices.indices, using: &random)
            let at = Int.random(in: min(30_000, end)...end, using: &random)
            self.acts.append(Act(at: at, what: .takeBack(grant: any(), on: on)))
        }
    }
}
