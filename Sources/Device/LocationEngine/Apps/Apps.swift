/// The installed apps, in the order they were installed.
///
/// Every change marks its app. The engine checks only marked apps (``Engine/reconcile(_:now:)``), and so misses no
/// change. The findings of an app's last check are stored beside it.
struct Apps: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        var app: App
        var summary = App.Summary()
        /// The last saved state; nil: none.
        var record: EngineSnapshot.AppRecord?
        var isMarked = false
    }

    /// How many apps have each need, according to the last check of each app.
    struct Totals: Sendable, Hashable {
        /// The number of apps that need a sensor's measurements as they arrive.
        var needs = PerSensor { _ in 0 }
        /// The number of apps that need positions better than 100 m.
        var best = 0
        var place = 0
        /// The number of apps that need the receiver only until one position arrives: for themselves, or for their launch.
        var passing = 0
        /// The number of apps whose pushes wait for an extension.
        var waiting = 0
        /// The number of apps that have a question to a person.
        var asking = 0
        var travels = PerTravel { _ in 0 }
        /// The number of apps that range each beacon identity, without zeros.
        private(set) var ranged: [BeaconIdentity: Int] = [:]

        /// The kinds of findings that apps want: significant changes, visits.
        var wantedTravels: Set<Travel> { Set(Travel.allCases.filter { self.travels[$0] > 0 }) }

        fileprivate mutating func add(_ summary: App.Summary, _ sign: Int) {
            for sensor in Sensor.allCases where summary.needs[sensor] { self.needs[sensor] += sign }
            if summary.needsBest { self.best += sign }
            if summary.needsPlace { self.place += sign }
            if summary.isPassing { self.passing += sign }
            if summary.hasWaitingPushes { self.waiting += sign }
            if summary.asks { self.asking += sign }
            for travel in Travel.allCases where summary.travels.contains(travel) { self.travels[travel] += sign }
            for identity in summary.ranged {
                self.ranged[identity, default: 0] += sign
                if self.ranged[identity] == 0 { self.ranged[identity] = nil }
            }
        }
    }

    private var entries: [Entry] = []
    /// Looked up by name only, never iterated.
    private var positions: [BundleID: Int] = [:]
    /// The positions of the marked apps, each once.
    private var marks: [Int] = []
    private(set) var totals = Totals()
    /// Whether the list of indicators may be out of date.
    private(set) var areIndicatorsStale = false
    /// Whether the list of apps that monitor pushes may be out of date.
    private(set) var areTopicsStale = false
    /// How many apps were removed so far.
    private(set) var removals = 0

    var indices: Range<Int> { self.entries.indices }

    func position(of bundle: BundleID) -> Int? { self.positions[bundle] }

    subscript(bundle: BundleID) -> App? { self.positions[bundle].map { self.entries[$0].app } }

    /// The app at a position; changing it leaves a mark.
    subscript(position: Int) -> App {
        _read { yield self.entries[position].app }
        _modify {
            self.mark(position)
            yield &self.entries[position].app
        }
    }

    /// The app at a position, for a change that affects no decision: messages that it received, and when it may rest.
    subscript(unmarked position: Int) -> App {
        _read { yield self.entries[position].app }
        _modify { yield &self.entries[position].app }
    }

    mutating func install(_ app: App) {
        self.positions[app.bundle] = self.entries.count
        self.entries.append(Entry(app: app))
        self.mark(self.entries.count - 1)
    }

    mutating func remove(_ bundle: BundleID) {
        guard let position = self.positions[bundle] else { return }
        self.totals.add(self.entries.remove(at: position).summary, -1)
        self.positions[bundle] = nil
        for moved in position..<self.entries.count { self.positions[self.entries[moved].app.bundle] = moved }
        self.removals += 1
        self.areIndicatorsStale = true
        self.areTopicsStale = true
        self.markAll()
    }

    // MARK: Marks

    mutating func mark(_ position: Int) {
        guard !self.entries[position].isMarked else { return }
        self.entries[position].isMarked = true
        self.marks.append(position)
    }

    mutating func markAll() {
        self.marks = []
        for position in self.entries.indices {
            self.entries[position].isMarked = true
            self.marks.append(position)
        }
    }

    /// Removes and returns the marks.
    ///
    /// - Returns: the apps that had a mark, in their order.
    mutating func takeMarked() -> [Int] {
        for position in self.marks { self.entries[position].isMarked = false }
        defer { self.marks = [] }
        return self.marks.count > 1 ? self.marks.sorted() : self.marks
    }

    var marked: [Int] { self.marks }

    // MARK: Findings

    /// The findings of the last check of an app.
    func summary(at position: Int) -> App.Summary { self.entries[position].summary }

    /// Records the findings of a check of an app.
    mutating func looked(at position: Int, found summary: App.Summary) {
        let before = self.entries[position].summary
        guard before != summary else { return }
        self.totals.add(before, -1)
        self.totals.add(summary, 1)
        if before.indicators != summary.indicators { self.areIndicatorsStale = true }
        if before.isMonitoring != summary.isMonitoring { self.areTopicsStale = true }
        self.entries[position].summary = summary
    }

    /// Records whether a person must be asked about an app.
    mutating func asked(_ asks: Bool, at position: Int) {
        guard self.entries[position].summary.asks != asks else { return }
        self.totals.asking += asks ? 1 : -1
        self.entries[position].summary.asks = asks
    }

    /// Returns the indicators of all apps in the background.
    mutating func takeIndicators() -> [Engine.Indicator] {
        self.areIndicatorsStale = false
        return self.entries.flatMap(\.summary.indicators)
    }

    /// Returns the apps that monitor location pushes.
    mutating func takeTopics() -> [BundleID] {
        self.areTopicsStale = false
        return self.entries.filter(\.summary.isMonitoring).map(\.app.bundle)
    }

    /// Compares an app's record with the last saved one, and replaces it.
    ///
    /// - Returns: whether the record differs.
    mutating func recordChanges(at position: Int) -> Bool {
        let record = EngineSnapshot.AppRecord(self.entries[position].app)
        guard record != self.entries[position].record else { return false }
        self.entries[position].record = record
        return true
    }
}
