internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Objects when an app takes more than its share of the push budget's reserve, which leaves other apps without pushes.
///
/// It keeps its own account of the budget from the device's notes of pushes: a bucket of 120, one back every 6 min; the last 60
/// of them are the reserve. An app among `n` that share owes `n` times that long for each push from the reserve, and may owe
/// as long as the whole reserve takes to come back (ADR 0022).
final class ShareAuditor {
    private static let (capacity, reserve) = (120, 60)
    private static let refill = Duration.seconds(360)

    private struct Book {
        var remaining = ShareAuditor.capacity
        /// Up to when refills are counted.
        var counted = Instant.start
        /// When the debt of each app ends.
        var settled: [BundleID: Instant] = [:]
    }

    private unowned let world: Simulation
    private var books: [Int: Book] = [:]
    /// The account before the newest push, because a refused push costs nothing.
    private var before: [Int: Book] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    func noted(_ note: Note, on device: DeviceNode) {
        // After failed writes or a rollback the budget differs; after the removal of an app there are fewer shares.
        guard !self.world.hadFullDisk(device.id), !self.world.rollsBack, device.removed.isEmpty, device.life == 1 else {
            return
        }
        switch note {
        case .pushReceived(_, let bundle):
            let book = self.books[device.index] ?? Book()
            self.check(book.settled[bundle], of: bundle, on: device)
            self.before[device.index] = book
            self.books[device.index] = self.book(book, afterPushTo: bundle, on: device)
        case .pushRefused(_, _, .budgetExhausted), .pushRefused(_, _, .shareExhausted):
            self.books[device.index] = self.before[device.index]
        default: break
        }
    }

    /// Checks the share of an app after a push was charged.
    private func check(_ settled: Instant?, of bundle: BundleID, on device: DeviceNode) {
        guard let settled else { return }
        let owed = self.world.now.duration(to: settled)
        if owed > Self.refill * (Self.reserve + 1) {
            self.world.fail(
                "\(device.id) let \(bundle) use more than its share of the push budget; the excess refills in \(owed)"
            )
        }
        self.world.census.add("a push is taken from the reserve")
    }

    private func book(_ book: Book, afterPushTo bundle: BundleID, on device: DeviceNode) -> Book {
        var book = book
        let now = self.world.now
        let back = Int(book.counted.duration(to: now) / Self.refill)
        book.remaining = min(book.remaining + back, Self.capacity)
        // A full budget earns nothing.
        book.counted = book.remaining == Self.capacity ? now : book.counted.advanced(by: Self.refill * back)
        if book.remaining <= Self.reserve {
            let start = max(book.settled[bundle] ?? now, now)
            book.settled[bundle] = start.advanced(by: Self.refill * max(self.sharing(device), 1))
        }
        book.remaining -= 1
        return book
    }

    /// The number of the device's apps with tokens at the gateway: never more than the device counts.
    private func sharing(_ device: DeviceNode) -> Int {
        let tokens = self.world.gateway.contents.tokens.values
        return Set(tokens.filter { $0.device == device.key && $0.unregisteredAt == nil }.map(\.topic)).count
    }
}
