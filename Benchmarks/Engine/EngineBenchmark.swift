internal import CAllocations
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

extension Benchmark {
    /// Inputs a second through the engine of a device with a hundred apps that all read live updates: fixes, and others.
    static let engine = Benchmark(name: "engine") { try EngineBenchmark.run() }

    /// The allocations of the same engine.
    static let fixCost = Benchmark(name: "cost-fix") { [try EngineBenchmark.allocations()] }
}

/// The reference is the least possible work: each fix is copied into a hundred mailboxes, and every mailbox is read.
enum EngineBenchmark {
    static let apps = 100
    static let inputs = 20_000
    static let rounds = 5

    static func run() throws -> [Figure] {
        let floor = self.floor()
        let fixes = try self.fixes(rounds: self.rounds)
        let others = try self.others(looksAtEverything: false)
        let everything = try self.others(looksAtEverything: true)
        func figure(_ name: String, _ value: Double, _ unit: String) -> Figure {
            Figure(
                name: name,
                value: value,
                unit: unit,
                ratio: value / floor,
                reference: "\(Int(floor)) inputs/s copied to \(self.apps) mailboxes"
            )
        }
        return [
            figure("fixes", fixes.perSecond, "inputs/s"),
            Figure(
                name: "others",
                value: others,
                unit: "inputs/s",
                ratio: others / everything,
                reference: "\(Int(everything)) inputs/s by an engine that looks at all \(self.apps) apps each time"
            ),
        ]
    }

    static func allocations() throws -> Figure {
        let allocations = try self.fixes(rounds: 1).allocations
        return Figure(
            name: "allocations",
            value: allocations,
            unit: "allocations a fix",
            ratio: allocations / Double(self.apps),
            reference: "one for each of its \(self.apps) updates"
        )
    }

    private static func fixes(rounds: Int) throws -> (perSecond: Double, allocations: Double) {
        try self.measure(rounds: rounds) { device, number in
            _ = try device.engine.handle(.sensed(.fix(self.fix(number, device.now))), now: device.now)
        }
    }

    /// Inputs that are no fixes: an app is shown or hidden, claims something, is set to be precise or not, in turn.
    private static func others(looksAtEverything: Bool) throws -> Double {
        try self.measure(inputs: self.inputs / 10, looksAtEverything: looksAtEverything) { device, number in
            let (bundle, client) = (self.bundle(number % self.apps), ClientID(UInt64(number % self.apps)))
            let isOdd = number / self.apps % 2 == 1
            let sessions = isOdd ? [Declaration.Session(id: 2, requirement: .whenInUse)] : []
            let input: Engine.Input =
                switch number % 3 {
                case 0: .phaseChanged(bundle, isOdd ? .foreground : .background)
                case 1: .clientDeclared(client, Declaration(sessions: sessions, streams: [.init(id: 1)]))
                default: .accuracySet(bundle, precise: isOdd)
                }
            _ = try device.engine.handle(input, now: device.now)
        }.perSecond
    }

    private struct Device {
        var engine: Engine
        var milliseconds: Int64 = 1_000_000

        var now: Now {
            Now(
                monotonic: EngineInstant(sinceStart: .milliseconds(self.milliseconds)),
                wall: WallTime(microseconds: 1_800_000_000_000_000 + self.milliseconds * 1000)
            )
        }
    }

    private static func bundle(_ number: Int) -> BundleID { BundleID("com.example.App\(number)") }

    /// A device that moves 10 m a fix.
    private static func fix(_ number: Int, _ now: Now) -> Fix {
        Fix(
            latitude: 425_000_000 + Int32(number % 100_000) * 900,
            longitude: 14_000_000,
            horizontalAccuracy: 3000,
            time: now.wall,
            arrival: now.monotonic
        )
    }

    private static func device() throws -> Device {
        var device = Device(engine: Engine(policy: Policy(), now: Device(engine: self.empty).now))
        let manifest = AppManifest(explainsWhenInUse: true, explainsAlways: true, mayRunInBackground: true)
        for number in 0..<self.apps {
            let (bundle, client) = (self.bundle(number), ClientID(UInt64(number)))
            let inputs: [Engine.Input] = [
                .appInstalled(bundle, manifest), .authorizationSet(bundle, .whileUsing),
                .clientConnected(client, Principal(bundle: bundle, role: .app), Lifecycle.Arrival(phase: .foreground)),
                .clientDeclared(client, Declaration(streams: [.init(id: 1)])),
            ]
            for input in inputs { _ = try device.engine.handle(input, now: device.now) }
        }
        return device
    }

    private static var empty: Engine {
        let start = Now(monotonic: EngineInstant(sinceStart: .zero), wall: WallTime(microseconds: 0))
        return Engine(policy: Policy(), now: start)
    }

    /// The fastest of some rounds, as it has the least disturbance.
    private static func measure(
        inputs: Int = Self.inputs,
        rounds: Int = Self.rounds,
        looksAtEverything: Bool = false,
        _ input: (inout Device, Int) throws -> Void
    ) throws -> (perSecond: Double, allocations: Double) {
        var best = (perSecond: 0.0, allocations: 0.0)
        for _ in 0..<rounds {
            var device = try self.device()
            device.engine.looksAtEverything = looksAtEverything
            let before = callocations_count()
            let elapsed = try ContinuousClock().measure {
                for number in 0..<inputs {
                    device.milliseconds += 100
                    try input(&device, number)
                }
            }
            let allocations = Double(callocations_count() - before) / Double(inputs)
            let perSecond = Double(inputs) / (elapsed / .seconds(1))
            if perSecond > best.perSecond { best = (perSecond, allocations) }
        }
        return best
    }

    private static func floor() -> Double {
        let now = Device(engine: self.empty).now
        var boxes = [Fix?](repeating: nil, count: self.apps)
        var seen = 0
        var best = 0.0
        for _ in 0..<self.rounds {
            let elapsed = ContinuousClock().measure {
                for number in 0..<self.inputs {
                    let fix = self.fix(number, now)
                    for index in boxes.indices {
                        if boxes[index] != fix { boxes[index] = fix }
                        if boxes[index] != nil { seen += 1 }
                    }
                }
            }
            best = max(best, Double(self.inputs) / (elapsed / .seconds(1)))
        }
        precondition(seen == self.rounds * self.inputs * self.apps, "every mailbox must have been read")
        return best
    }
}
