// Programs of virtual devices: `simulation trace SEED` prints the fingerprint of a busy hour, `simulation picture SEED` its picture,
// `simulation speed SECONDS` the processor's seconds that one device with one app at 1 Hz takes for that time, `simulation days FIRST
// COUNT` how long days with drawn troubles take, and `simulation failure` the report of a mistake that they find. It is separate because
// a program that links LocationTesting has its executors.
import CoreLocation
import Foundation
import Synchronization
import WhereaboutsLocationTesting

/// The count of an app; its tasks run on one thread, which the types cannot express.
final class Tally: Sendable {
    private let positions = Mutex(0)

    var count: Int { self.positions.withLock { $0 } }
    func add() { self.positions.withLock { $0 += 1 } }
}

/// An app that uses tasks as apps do, and writes to its log.
actor Busy {
    private var seen = 0

    func follow() async throws {
        let session = CLServiceSession(authorization: .always)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
                        await self.see()
                        if number == 3 { try await Task.sleep(for: .milliseconds(700)) }
                        if number == 2 { await Task.detached { await self.see() }.value }
                        if number == 1 { DispatchQueue.main.async { Task { await self.see() } } }
                        if await self.seen > 5000 { return }
                    }
                }
            }
            try await group.waitForAll()
        }
        session.invalidate()
    }

    private func see() { self.seen += 1 }
}

/// The extension of the busy app.
final class BusyPush: NSObject, CLLocationPushServiceExtension {
    func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
        _ = try? await CLLocationUpdate.liveUpdates().first { $0.location != nil }
    }
}

func trace(seed: UInt64) throws -> (fingerprint: String, picture: String) {
    let device = VirtualDevice(.vehicle, seed: seed)
    device.person.answersAll(.allowAlways)
    device.world.drive(for: .seconds(3600))
    device.world.loseSignal(after: .seconds(300), for: .seconds(90))
    let apps = ["one", "two", "three"].map { name in
        device.install(
            AppUnderTest("com.example.\(name)", pushExtension: { BusyPush() }) {
                _ = try await CLLocationManager().startMonitoringLocationPushes()
                try await Busy().follow()
            }
        )
    }
    for app in apps {
        device.person.open(app)
        device.advance(by: .seconds(400))
    }
    apps[0].terminate()
    for number in 0..<10 {
        try device.push(["number": number], to: apps[number % 3], .delayed(by: .seconds(number)))
        device.advance(by: .seconds(60))
    }
    // Draw before the device is released, because the map needs the device.
    return (device.timeline.fingerprint, device.timeline.svg())
}

func speed(seconds: Int64) -> (seconds: Double, positions: Int) {
    let tally = Tally()
    let device = VirtualDevice()
    device.person.answersAll(.allowWhileUsing)
    let app = device.install(
        AppUnderTest("com.example.speed") {
            for try await update in CLLocationUpdate.liveUpdates() where update.location != nil { tally.add() }
        }
    )
    device.person.open(app)
    // Back and forth on one road, so that the device never stands still.
    let ends = [53.5, 53.6].map { CLLocationCoordinate2D(latitude: $0, longitude: 10) }
    device.world.jump(to: ends[0])
    for number in 0..<(Int(seconds) / 500 + 10) { device.world.go(to: ends[(number + 1) % 2], at: 20) }
    device.advance(by: .seconds(600))
    let before = tally.count
    let begin = clock()
    device.advance(by: .seconds(seconds))
    return (Double(clock() - begin) / Double(CLOCKS_PER_SEC), tally.count - before)
}

/// An extension that ends in time, with a position or without.
final class DayPush: NSObject, CLLocationPushServiceExtension {
    func didReceiveLocationPushPayload(_ payload: [String: Any]) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Some devices begin with positions that are invalid, or hours old.
                _ = try? await CLLocationUpdate.liveUpdates().first { update in
                    guard let location = update.location else { return false }
                    return location.horizontalAccuracy >= 0 && location.timestamp.timeIntervalSinceNow > -30
                }
            }
            group.addTask { try? await Task.sleep(for: .seconds(15)) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// A day of an app that is asked every hour, while it shows where it is for some minutes.
func day(on device: VirtualDevice) throws -> VirtualApp {
    let app = device.install(
        AppUnderTest("com.example.day", pushExtension: { DayPush() }) {
            // In a task, because without a network the token comes later than the session is needed.
            Task { _ = try? await CLLocationManager().startMonitoringLocationPushes() }
            let session = CLServiceSession(authorization: .always)
            for try await _ in CLLocationUpdate.liveUpdates() {}
            session.invalidate()
        }
    )
    for hour in 0..<24 {
        device.world.drive(for: .seconds(1200))
        device.world.stay(for: .seconds(2400))
        device.person.open(app)
        device.advance(by: .seconds(600))
        device.person.leave(app)
        try device.push(["hour": hour], to: app)
        device.advance(by: .seconds(3000))
    }
    return app
}

/// Runs a day for each seed; returns the processor seconds and the coverage.
func days(first: UInt64, count: Int) async -> (seconds: Double, coverage: String) {
    let devices = AnyDevice(seeds: count, firstSeed: first, budget: .seconds(3600), span: .seconds(86_400))
    let begin = clock()
    let exploration = await devices.explore { device in _ = try day(on: device) }
    let seconds = Double(clock() - begin) / Double(CLOCKS_PER_SEC)
    let failure = exploration.failure.map { "\n" + $0.report(of: "day()") } ?? ""
    return (seconds, "\(exploration.coverage)\(failure)")
}

/// The report of an app that must never be launched a second time.
func failure() async -> String {
    struct LaunchedTwice: Error {}
    let exploration = await AnyDevice(seeds: 100, budget: .seconds(3600)).explore { device in
        if try day(on: device).launches > 1 { throw LaunchedTwice() }
    }
    return exploration.failure?.report(of: "day()") ?? "no failure"
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first) {
case ("trace", let seed?) where UInt64(seed) != nil:
    print(try trace(seed: UInt64(seed) ?? 0).fingerprint)
case ("picture", let seed?) where UInt64(seed) != nil:
    print(try trace(seed: UInt64(seed) ?? 0).picture, terminator: "")
case ("speed", let seconds?) where Int64(seconds).map { $0 > 0 && $0 <= 100_000_000 } ?? false:
    let (time, positions) = speed(seconds: Int64(seconds) ?? 0)
    print(String(format: "%.9f %d", time, positions))
case ("days", let first?) where UInt64(first) != nil && Int(arguments.last ?? "").map { $0 > 0 } ?? false:
    let (seconds, coverage) = await days(first: UInt64(first) ?? 0, count: Int(arguments.last ?? "") ?? 0)
    print(String(format: "%.3f", seconds))
    print(coverage)
case ("failure", nil):
    print(await failure())
default:
    FileHandle.standardError.write(
        Data("usage: simulation trace SEED | picture SEED | speed SECONDS | days FIRST COUNT | failure\n".utf8)
    )
    exit(64)
}
