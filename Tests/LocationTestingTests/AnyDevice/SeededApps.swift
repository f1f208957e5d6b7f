internal import CoreLocation
internal import Foundation
internal import Synchronization
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// An example app, with or without a mistake, and a property that must hold in every story.
struct SeededApp: Sendable {
    /// A violated property.
    struct Unmet: Error, CustomStringConvertible {
        let description: String

        init(_ what: String) { self.description = what }
    }

    /// The app, as the table names it.
    let app: String
    /// The mistake; nil: there is none.
    let bug: String?
    /// The answers with which every story begins.
    var hints: [Trouble] = []
    var without: Set<Trouble.Kind> = []
    let body: @Sendable (VirtualDevice) throws -> Void

    private init(
        _ app: String,
        _ bug: String?,
        hints: [Trouble] = [],
        without: Set<Trouble.Kind> = [],
        _ body: @escaping @Sendable (VirtualDevice) throws -> Void
    ) {
        (self.app, self.bug, self.hints, self.without, self.body) = (app, bug, hints, without, body)
    }

    /// The apps without a mistake.
    static let right = [
        Self.workout(nil), Self.reminders(nil), Self.friends(nil), Self.delivery(nil), Self.weather(nil),
    ]

    /// The apps with one mistake each.
    static let wrong =
        RunTracker.Bug.allCases.map(Self.workout) + ShopReminder.Bug.allCases.map(Self.reminders)
        + FriendFinder.Bug.allCases.map(Self.friends) + Courier.Bug.allCases.map(Self.delivery)
        + Forecast.Bug.allCases.map(Self.weather)

    private static func expect(_ what: String, _ holds: Bool?) throws {
        if holds == false { throw Unmet(what) }
    }

    /// Ends all faults; returns whether the app, once opened, may use the location.
    private static func opened(_ app: VirtualApp, _ device: VirtualDevice) -> Bool {
        device.endTrouble()
        device.person.open(app)
        device.advance(by: .seconds(180))
        return app.authorizationStatus == .authorizedWhenInUse || app.authorizationStatus == .authorizedAlways
    }

    private static func workout(_ bug: RunTracker.Bug?) -> Self {
        Self("workout", bug?.rawValue) { device in
            let app = device.install(AppUnderTest("com.example.Run", object: { RunTracker(bug) }))
            device.world.walk(for: .seconds(7200))
            device.person.open(app)
            device.advance(by: .seconds(3600))
            guard Self.opened(app, device) else { return }
            // Approximate positions come once in a quarter of an hour.
            try Self.expect("records when open", app.isServed || !app.isPrecise)
            let way = device.world.distance() + 15_000
            try Self.expect("counts no jump", app.read { (run: RunTracker) in run.distance < way })
        }
    }

    private static func reminders(_ bug: ShopReminder.Bug?) -> Self {
        // A receiver whose error crosses the boundary causes a visit in every app.
        Self("reminders", bug?.rawValue, without: [.stray]) { device in
            let app = device.install(AppUnderTest("com.example.Shop", object: { ShopReminder(bug) }))
            let home = device.world.place
            device.world.stay(for: .seconds(300))
            device.world.go(to: ShopReminder.shop, at: 3)
            device.world.stay(for: .seconds(1200))
            device.world.go(to: home, at: 3)
            device.person.open(app)
            device.advance(by: .seconds(3600))
            _ = Self.opened(app, device)
            try Self.expect("reminds once a visit", app.read { (shop: ShopReminder) in shop.reminders <= 1 })
        }
    }

    private static func friends(_ bug: FriendFinder.Bug?) -> Self {
        let always = Trouble.answer("com.example.Friends", .allowAlways)
        return Self("friends", bug?.rawValue, hints: [always, always]) { device in
            let app = device.install(
                AppUnderTest(
                    "com.example.Friends",
                    pushExtension: { FriendFinderExtension(bug) },
                    object: { FriendFinder(bug) }
                )
            )
            device.person.open(app)
            for _ in 0..<12 {
                device.advance(by: .seconds(300))
                try device.push(["id": "7"], to: app)
            }
            guard Self.opened(app, device) else { return }
            let isSame = app.read { (it: FriendFinder) in it.token == nil || it.token == it.tokenAtServer }
            try Self.expect("the server has its token", isSame)
        }
    }

    private static func delivery(_ bug: Courier.Bug?) -> Self {
        Self("delivery", bug?.rawValue) { device in
            let server = Server()
            let app = device.install(
                AppUnderTest(
                    "com.example.Courier",
                    object: { Courier(bug) { number, count in try await server.receive(number, count) } }
                )
            )
            device.world.drive(for: .seconds(7200))
            device.person.open(app)
            for _ in 0..<12 {
                device.advance(by: .seconds(300))
                guard app.state != .notRunning else { continue }
                try Self.expect("time goes on", app.read { (it: Courier) in it.secondsUnderWay >= 0 })
            }
            guard Self.opened(app, device) else { return }
            try Self.expect("follows when open", app.isServed)
            let total = server.total
            try Self.expect("the server has all", app.read { (it: Courier) in total > it.positions - 150 })
        }
    }

    /// The sum of what a launch of ``Courier`` reported.
    private final class Server: Sendable {
        private let sum = Mutex(0)
        var total: Int { self.sum.withLock { $0 } }

        func receive(_ number: Int, _ count: Int) async throws {
            try await VirtualNetwork.reach {
                self.sum.withLock { $0 = number == 0 ? count : $0 + count }
            }
        }
    }

    private static func weather(_ bug: Forecast.Bug?) -> Self {
        Self("weather", bug?.rawValue) { device in
            let app = device.install(AppUnderTest("com.example.Forecast", object: { Forecast(bug) }))
            func look() { app.read { (it: Forecast) in _ = Task { try await it.look() } } }
            for _ in 0..<3 {
                device.person.open(app)
                look()
                device.advance(by: .seconds(300))
            }
            device.endTrouble()
            let north = CLLocationCoordinate2D(latitude: 57, longitude: 9.9922)
            device.world.jump(to: north)
            device.advance(by: .seconds(700))
            device.person.open(app)
            look()
            device.advance(by: .seconds(120))
            guard app.authorizationStatus != .notDetermined else { return }
            try Self.expect("ends its search", app.read { (it: Forecast) in !it.isLoading })
            // An approximate position may be old.
            guard app.authorizationStatus != .denied, app.isPrecise else { return }
            let isNear = app.read { (it: Forecast) in it.place.map { abs($0.latitude - north.latitude) < 0.5 } ?? false
            }
            try Self.expect("shows where it is", isNear)
        }
    }
}
