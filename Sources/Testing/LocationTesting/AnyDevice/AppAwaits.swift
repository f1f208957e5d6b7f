/// An await of an app, named by the call that its code made before it waited.
struct Await: Sendable, Hashable {
    /// The call, such as `requestLocation()`, or the sequence of a loop.
    let call: String
    /// The number of the call or the loop, counted from 1 over all launches.
    let number: Int
    /// The number of the element that the loop waits for; nil if the call is not from a loop.
    var element: Int?
    /// Whether the code ran on since, and waits for something that has no name, such as another task.
    var isOver = false

    /// The name of waits without a call of Core Location or a sleep before them.
    static let otherCall = "other awaits"
}

extension Await: CustomStringConvertible {
    /// Words such as `requestLocation(), 2nd call` or `element 3 of CLLocationUpdate.liveUpdates()`.
    var description: String {
        let time = Self.ordinal(self.number)
        let name =
            if let element {
                "element \(element) of \(self.call)" + (self.number > 1 ? ", \(time) loop" : "")
            } else {
                "\(self.call), \(time) call"
            }
        return self.isOver ? "after \(name)" : name
    }

    private static func ordinal(_ number: Int) -> String {
        let ending =
            switch (number % 100, number % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(number)\(ending)"
    }
}

/// The awaits of one app, over all its launches.
///
/// The runtime does not tell what a task waits for. The log takes the last call of Core Location, or sleep, that a job made. A
/// job that made none waits "after" the call that its task made before.
struct AppAwaits {
    private struct Loop {
        let number: Int
        var elements = 0
    }

    /// More than an app waits in at once; beyond it, the oldest task whose await has no name is forgotten.
    private static let tasksMax = 64
    /// The name of all sleeps of a task.
    static let sleep = "sleep(for:)"

    private(set) var process: Kernel.ProcessNumber = 0
    private var counts: [String: Int] = [:]
    private var loops: [UInt64: Loop] = [:]
    /// The last call of each task, the newest last.
    private var tasks: [(task: UInt64, place: Await)] = []
    private var begun: (job: Int, place: Await)?

    /// Records that a job calls something that is awaited.
    ///
    /// - Parameters:
    ///   - call: the name of the call.
    ///   - loop: the number of the loop that asks for its next element; nil if the call is not from a loop.
    ///   - job: the number of the job.
    ///   - process: the process that calls; a new process is a new launch, and ends the awaits of the last one.
    mutating func begins(_ call: String, loop: UInt64?, in job: Int, of process: Kernel.ProcessNumber) {
        self.enter(process)
        guard let loop else {
            self.begun = (job, Await(call: call, number: self.count(call)))
            return
        }
        var counted = self.loops[loop] ?? Loop(number: self.count(call))
        counted.elements += 1
        self.loops[loop] = counted
        self.begun = (job, Await(call: call, number: counted.number, element: counted.elements))
    }

    /// Records that a job ran up to an await, or to its end.
    ///
    /// - Parameters:
    ///   - job: the number of the job.
    ///   - task: the job's task.
    ///   - sleeper: the task that ends the job's sleep; nil: it does not sleep.
    ///   - process: the job's process.
    /// - Returns: the await; nil: its task has made no call that has a name.
    mutating func jobDidRun(
        _ job: Int,
        of task: UInt64,
        sleeper: UInt64?,
        in process: Kernel.ProcessNumber
    ) -> Await? {
        self.enter(process)
        if sleeper != nil { self.begins(Self.sleep, loop: nil, in: job, of: process) }
        let before = self.tasks.lastIndex { $0.task == task }.map { self.tasks.remove(at: $0).place }
        let place = self.begun.flatMap { $0.job == job ? $0.place : nil } ?? before.map(Self.over)
        guard let place else { return nil }
        self.add(task, place)
        if let sleeper { self.add(sleeper, Self.over(place)) }
        return place
    }

    /// The calls that the app awaits now, the oldest first.
    var open: [Await] { self.tasks.map(\.place).filter { !$0.isOver } }

    private mutating func enter(_ process: Kernel.ProcessNumber) {
        guard process != self.process else { return }
        (self.process, self.loops, self.tasks, self.begun) = (process, [:], [], nil)
    }

    private mutating func count(_ call: String) -> Int {
        self.counts[call, default: 0] += 1
        return self.counts[call, default: 0]
    }

    private mutating func add(_ task: UInt64, _ place: Await) {
        self.tasks.append((task, place))
        guard self.tasks.count > Self.tasksMax else { return }
        self.tasks.remove(at: self.tasks.firstIndex { $0.place.isOver } ?? 0)
    }

    private static func over(_ place: Await) -> Await {
        var place = place
        place.isOver = true
        return place
    }
}

/// The awaits of apps at which an event of a story struck.
struct StruckAwaits: Sendable, Hashable {
    let event: Story.Event
    let app: String
    /// The awaits; an empty list: they have no name.
    let places: [Await]

    /// A line such as `0:00:03.000  .terminate("com.example.App") struck com.example.App at requestLocation(), 2nd call`.
    var line: String {
        let places = self.places.isEmpty ? Await.otherCall : self.places.map(\.description).joined(separator: "; ")
        return "\(Timeline.clock(self.event.time))  \(self.event.trouble.literal) struck \(self.app) at \(places)"
    }
}
