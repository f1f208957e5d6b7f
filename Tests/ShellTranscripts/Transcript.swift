public import WhereaboutsLocationEngine

/// A story of a device and its processes, step by step.
///
/// Every shell around the device's core must show the same behaviour.
///
/// Each line has a step, an arrow, and the words that are observed after it, in any order. Other words are an error.
/// Positions are left out, because each shell's receiver measures at its own rate.
public struct Transcript: Sendable, CustomStringConvertible {
    /// One line.
    public struct Line: Sendable {
        /// The deed.
        public let step: Step
        /// The words that must be observed, sorted.
        public let words: [String]
        /// The line as it is written.
        public let text: String
    }

    /// The rule that the transcript shows.
    public let description: String
    /// The lines.
    public let lines: [Line]

    private init(_ description: String, _ text: String) {
        self.description = description
        self.lines = text.split(separator: "\n").map { line in
            let parts = line.split(separator: "->", maxSplits: 1).map { $0.trimmingSpaces }
            guard let step = Step(parts[0]) else { preconditionFailure("no such step: \(line)") }
            let words = parts.count > 1 ? parts[1].split(separator: ";").map { String($0.trimmingSpaces) } : []
            return Line(step: step, words: words.filter { !$0.isEmpty }.sorted(), text: String(line))
        }
    }

    /// The numbers that all shells use here: short, because one of them lives in real time.
    public static var policy: Policy {
        var policy = Policy()
        policy.inUseGrace = .milliseconds(200)
        policy.backgroundRuntime = .milliseconds(800)
        policy.launchPatience = .seconds(3)
        policy.relaunchPause = .seconds(4)
        policy.extensionAllowance = .seconds(4)
        policy.extensionWarning = .seconds(1)
        return policy
    }

    /// All transcripts.
    public static let all = [
        Transcript(
            "a connection is nobody's until its first message",
            """
            keep silent
            run -> app started
            speak -> app: state
            """
        ),
        Transcript(
            "a process that is cut off lives on and comes back",
            """
            run -> app started; app: state
            say too much -> app cut; app: state
            """
        ),
        Transcript(
            "a push that the disk refuses is kept when the disk takes it, and handed over then",
            """
            run -> app started; app: state
            allow always -> app: state
            ask for the token -> app: token
            fill the disk
            push 1
            empty the disk
            wait 3000 -> kept 1; extension started; extension: push 1
            complete 1 -> extension ended
            """
        ),
        Transcript(
            "an extension that shows nothing is handed nothing, and killed",
            """
            run -> app started; app: state
            allow always -> app: state
            ask for the token -> app: token
            keep silent
            push 1 -> kept 1; extension started
            wait 6000 -> extension ended
            """
        ),
        Transcript(
            "an app that is launched and shows nothing is killed and left alone",
            """
            run -> app started; app: state
            allow always -> app: state
            read positions under a session -> app: diagnostics
            keep silent
            crash -> app ended
            wait 6000 -> app started
            wait 3500 -> app ended
            wait 1000
            """
        ),
        Transcript(
            "an app in the background is stopped, and goes on when it is shown",
            """
            run -> app started; app: state
            hide -> app: state
            wait 3000 -> app stopped
            show -> app goes on; app: state
            """
        ),
        Transcript(
            "an app that is closed ends, and can be started again",
            """
            run -> app started; app: state
            close -> app ended
            run -> app started; app: state
            """
        ),
    ]

    /// A step.
    public enum Step: Sendable, Hashable {
        /// Processes that start from now on send nothing.
        case keepSilent
        /// The silent app sends a declaration without sessions.
        case speak
        /// A person starts the app.
        case run
        /// A person leaves the app.
        case hide
        /// A person comes back to the app.
        case show
        /// A person ends the app.
        case close
        /// The app's process crashes.
        case crash
        /// A person allows Always in Settings.
        case allowAlways
        /// The app declares one session more than the maximum.
        case sayTooMuch
        /// The app registers for location pushes.
        case askForToken
        /// The app declares a session for Always and iterates over live updates.
        case readPositions
        /// The disk rejects all writes.
        case fillDisk
        /// The disk accepts writes again.
        case emptyDisk
        /// A push comes from the gateway.
        case push(UInt64)
        /// The extension calls the push's completion handler.
        case complete(UInt64)
        /// Time passes, in milliseconds; in real time only until the words are observed.
        case wait(Int)

        init?(_ text: Substring) {
            let words = text.split(separator: " ")
            let number = words.last.flatMap { UInt64($0) }
            switch (text, words.first, number) {
            case ("keep silent", _, _): self = .keepSilent
            case ("speak", _, _): self = .speak
            case ("run", _, _): self = .run
            case ("hide", _, _): self = .hide
            case ("show", _, _): self = .show
            case ("close", _, _): self = .close
            case ("crash", _, _): self = .crash
            case ("allow always", _, _): self = .allowAlways
            case ("say too much", _, _): self = .sayTooMuch
            case ("ask for the token", _, _): self = .askForToken
            case ("read positions under a session", _, _): self = .readPositions
            case ("fill the disk", _, _): self = .fillDisk
            case ("empty the disk", _, _): self = .emptyDisk
            case (_, "push", .some(let number)): self = .push(number)
            case (_, "complete", .some(let number)): self = .complete(number)
            case (_, "wait", .some(let number)): self = .wait(Int(number))
            default: return nil
            }
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        let front = self.drop { $0 == " " }
        guard let last = front.lastIndex(where: { $0 != " " }) else {
            return front[front.startIndex..<front.startIndex]
        }
        return front[...last]
    }
}
