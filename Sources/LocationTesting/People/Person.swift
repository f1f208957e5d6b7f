internal import LocationEngine

/// The person who holds the device: opens and closes apps, answers what they ask, changes Settings.
public final class Person {
    /// A question on the screen.
    public enum Question: Sendable, Hashable {
        /// May the app use the location once, or while it is in use?
        case whenInUse
        /// May it use the location at any time, too?
        case always
        /// It was about to use the location unseen: may it go on?
        case confirmAlways
        /// May it know the precise location this time, for the purpose with this key in the Info.plist?
        case fullAccuracy(purpose: String)
    }

    /// A person's answer to a prompt; a prompt without that choice gets the nearest one.
    public enum Answer: Sendable, Hashable {
        /// "Don't Allow"; "Keep Only While Using".
        case dontAllow
        /// "Allow Once"; "Keep Only While Using".
        case allowOnce
        /// "Allow While Using App"; "Keep Only While Using".
        case allowWhileUsing
        /// "Allow While Using App", then "Change to Always Allow".
        case allowAlways
        /// "Allow While Using App" with "Precise: Off"; no precise location this time either.
        case allowApproximate
    }

    /// An app's setting in Settings.
    public enum Setting: Sendable, Hashable {
        /// "Never".
        case never
        /// "Ask Next Time".
        case askNextTime
        /// "While Using the App".
        case whileUsing
        /// "Always".
        case always
    }

    // Keeps the device alive: a test that talks to its person is not done with it.
    private let device: VirtualDevice
    private var host: DeviceHost { self.device.host }

    init(of device: VirtualDevice) {
        self.device = device
    }

    /// The time the person reads before they answer; 2 s unless set.
    public var reactionTime: Duration {
        get { self.host.reactionTime }
        set { self.host.reactionTime = newValue }
    }

    // MARK: Questions

    /// The question on the screen, and the bundle identifier of the app that asks; nil when nothing is asked.
    public var question: (question: Question, bundle: String)? {
        self.host.prompt.map { (Question($0.question), $0.bundle.rawValue) }
    }

    /// Answers all questions from now on, each after ``reactionTime``.
    ///
    /// - Parameter answer: the answer; a prompt without that choice gets the nearest one.
    public func answersAll(_ answer: Answer) {
        self.answers { _, _ in answer }
    }

    /// Answers questions from now on, each after ``reactionTime``.
    ///
    /// - Parameter answer: says the answer to a question of the app with that bundle identifier; nil: the person looks
    ///   at it and leaves it there.
    public func answers(_ answer: @escaping (Question, String) -> Answer?) {
        self.host.habit = answer
        self.host.act { self.host.askPerson() }
    }

    /// Leaves questions where they are from now on.
    public func answersNothing() { self.host.habit = nil }

    /// Answers the question on the screen now; a problem of the test when there is none.
    ///
    /// - Parameter answer: the answer.
    public func answer(_ answer: Answer) {
        self.host.act {
            guard self.host.prompt != nil else {
                return self.host.problems.add(
                    "the person was to answer \(answer), but nothing is asked; the app may not be in the foreground, may "
                        + "have been answered before, or its Info.plist may lack the usage description"
                )
            }
            self.host.answer(answer)
        }
    }

    // MARK: Apps

    /// Opens an app: starts it, or brings it to the front; the app that was in front goes to the background.
    public func open(_ app: VirtualApp) { self.host.act { self.host.open(app.bundle) } }

    /// Leaves the app for the home screen; it goes to the background.
    public func leave(_ app: VirtualApp) { self.host.act { self.host.leave(app.bundle) } }

    /// Closes an app for good, with a swipe: its process is killed.
    public func close(_ app: VirtualApp) {
        self.host.act { self.host.terminate(app.bundle, by: .person) }
    }

    // MARK: Settings

    /// Changes an app's setting in Settings.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - setting: the new setting.
    public func set(_ app: VirtualApp, to setting: Setting) {
        self.host.act { self.host.set(app.bundle, to: setting) }
    }

    /// Switches the precise location of an app on or off.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - precise: whether it may know the precise location.
    public func set(_ app: VirtualApp, precise: Bool) {
        self.host.act { self.host.set(app.bundle, precise: precise) }
    }

    /// Switches location services on or off, for all apps; in vain where the owner's rules decide about them.
    public func switchLocationServices(on: Bool) {
        self.host.act { self.host.switchServices(on: on) }
    }

    /// Dismisses a live activity of an app.
    ///
    /// - Parameters:
    ///   - title: the title it shows.
    ///   - app: the app.
    public func dismissLiveActivity(_ title: String, of app: VirtualApp) {
        self.host.act { self.host.dismissActivity(title, of: app.bundle) }
    }

    /// Switches airplane mode: satellites are heard all the same, but no push comes.
    public func switchAirplaneMode(on: Bool) {
        self.host.act { self.host.gateway.switchNetwork(on: !on) }
    }
}

extension Person.Question {
    init(_ question: Prompt.Question) {
        self =
            switch question {
            case .whenInUse: .whenInUse
            case .always: .always
            case .confirmAlways: .confirmAlways
            case .fullAccuracy(let purpose): .fullAccuracy(purpose: purpose)
            }
    }
}

extension Person.Answer {
    /// The choice nearest to it in a prompt.
    func answer(to question: Prompt.Question) -> Prompt.Answer {
        switch question {
        case .whenInUse:
            switch self {
            case .dontAllow: .dontAllow
            case .allowOnce: .allowOnce(precise: true)
            case .allowWhileUsing, .allowAlways: .allowWhileUsing(precise: true)
            case .allowApproximate: .allowWhileUsing(precise: false)
            }
        case .always, .confirmAlways: self == .allowAlways ? .changeToAlways : .keepWhileUsing
        case .fullAccuracy:
            self == .dontAllow || self == .allowApproximate ? .denyFullAccuracy : .allowFullAccuracy
        }
    }
}

extension Person.Setting {
    var setting: Authorization.Setting {
        switch self {
        case .never: .never
        case .askNextTime: .askNextTime
        case .whileUsing: .whileUsing
        case .always: .always
        }
    }
}
