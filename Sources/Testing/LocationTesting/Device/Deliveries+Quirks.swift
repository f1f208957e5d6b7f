internal import WhereaboutsLocationEngine

/// Oddities of updates.
extension Deliveries {
    /// The time from the replayed position to the first new one.
    private static let replayLead = Duration.seconds(3)
    /// The time between the copies of a position.
    private static let repeatPause = Duration.milliseconds(200)

    func giveOddly(_ update: Update, to id: UInt64, of process: VirtualProcess) {
        guard let index = process.streams.firstIndex(where: { $0.id == id }) else { return }
        if case .beacons(let survey)? = update.element {
            let isLost = self.quirks.contains(.losesBeaconsBriefly) && process.streams[index].count % 5 == 4
            return self.give(isLost ? .measured(.beacons(survey.lost)) : update, to: id, of: process)
        }
        if case .held = process.streams[index].beginning {
            process.streams[index].beginning = .held(update.fix == nil ? nil : update)
            // Diagnostics without a position are delivered at once.
            if update.fix == nil { self.give(update, to: id, of: process) }
            return
        }
        guard let fix = update.fix, self.isTurn(of: index, fix, of: process) else {
            if update.fix == nil || !update.diagnostics.isEmpty { self.give(update, to: id, of: process) }
            return
        }
        if case .fresh = process.streams[index].beginning, self.begin(index, update, of: process) { return }
        self.give(update, to: id, of: process)
        guard self.quirks.contains(.repeatsUpdates) else { return }
        for copy in 1...2 {
            self.time.schedule(after: Self.repeatPause * copy) { [unowned self] in
                guard process.streams.contains(where: { $0.id == id }) else { return }
                self.give(update, to: id, of: process)
            }
        }
    }

    /// Whether this stream gets the position; streams of live updates that share positions take turns.
    private func isTurn(of index: Int, _ fix: Fix, of process: VirtualProcess) -> Bool {
        guard self.quirks.contains(.splitsUpdates), process.streams[index].isLive else { return true }
        let sharing = process.streams.indices.filter { process.streams[$0].isLive }
        if process.turn.fix != fix.arrival { process.turn = (fix.arrival, (process.turn.stream + 1) % sharing.count) }
        return sharing.firstIndex(of: index) == process.turn.stream % sharing.count
    }

    /// Starts a stream as the quirks say; returns whether its first position is held back.
    private func begin(_ index: Int, _ update: Update, of process: VirtualProcess) -> Bool {
        let id = process.streams[index].id
        if self.quirks.contains(.beginsUnavailable) {
            self.give(.unavailable(.locationUnavailable), to: id, of: process)
        }
        var wait = self.quirks.reduce(Duration.zero) { longest, quirk in
            if case .delaysFirstPosition(let delay) = quirk { max(longest, delay) } else { longest }
        }
        if self.quirks.contains(.replaysLastPlace), let old = self.lastPlace(before: process) {
            self.give(.fix(old), to: id, of: process)
            wait = max(wait, Self.replayLead)
        }
        if self.quirks.contains(.beginsInvalid), var fix = update.fix {
            fix.horizontalAccuracy = nil
            self.give(.fix(fix, update.diagnostics), to: id, of: process)
            wait = max(wait, Self.replayLead)
        }
        guard wait > .zero else {
            process.streams[index].beginning = .over
            return false
        }
        process.streams[index].beginning = .held(update)
        self.time.schedule(after: wait) { [unowned self] in
            guard let index = process.streams.firstIndex(where: { $0.id == id }),
                case .held(let newest) = process.streams[index].beginning
            else { return }
            process.streams[index].beginning = .over
            if let newest { self.give(newest, to: id, of: process) }
        }
        return true
    }

    /// The story is over: the quirks are those of the system again, and elements that were held back are dropped.
    func endTrouble() {
        self.quirks = self.system.quirks
        for process in self.processes.living {
            for index in process.streams.indices { process.streams[index].beginning = .over }
        }
    }

    /// The last position that earlier launches of the app received; for an extension, earlier extension launches.
    private func lastPlace(before process: VirtualProcess) -> Fix? {
        // Each launch of an extension has its own role.
        let isApp = process.role == .app
        return self.processes.all
            .filter { $0.bundle == process.bundle && ($0.role == .app) == isApp && $0.number < process.number }
            .compactMap(\.positions.newest)
            .last
    }
}

extension BeaconSurvey {
    /// The same beacons, with none of them received.
    fileprivate var lost: BeaconSurvey {
        var survey = self
        for index in survey.beacons.indices {
            survey.beacons[index].rssi = 0
            survey.beacons[index].distance = nil
            survey.beacons[index].proximity = .unknown
        }
        return survey
    }
}
