public import Testing
internal import WhereaboutsLocationEngine

/// The person who uses the device: opens and closes apps, answers prompts, changes settings.
public final class Person {
    /// A question on the screen.
    public enum Question: Sendable, Hashable {
        /// May the app use the location once, or while it is in use?
        case whenInUse
        /// May the app use the location at any time, too?
        case always
        /// The app was about to use the location in the background: should it be allowed to?
        case confirmAlways
        /// May the app know the precise location this time, for the purpose with this key in the Info.plist?
        case fullAccuracy(purpose: String)
    }

    /// A person's answer to a prompt; if the prompt lacks that choice, the nearest choice is used.
    public enum Answer: Sendable, Hashable, Codable, CaseIterable {
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
    public enum Setting: Sendable, Hashable, Codable, CaseIterable {
        /// "Never".
        case never
        /// "Ask Next Time".
        case askNextTime
        /// "While Using the App".
        case whileUsing
        /// "Always".
        case always
    }

    // Keeps the device alive: a test that uses its person still uses it.
    private let device: VirtualDevice
    private var host: DeviceHost { self.device.host }

    init(of device: VirtualDevice) {
        self.device = device
    }

    /// The time that the person needs to read a question before they answer; by default 2 s.
    public var reactionTime: Duration {
        get { self.host.user.reactionTime }
        set { self.host.user.reactionTime = newValue }
    }

    // MARK: Questions

    /// The question on the screen, and the bundle identifier of the app that asks; nil when nothing is asked.
    public var question: (question: Question, bundle: String)? {
        self.host.user.prompt.map { (Question($0.question), $0.bundle.rawValue) }
    }

    /// Answers all questions from now on, each after ``reactionTime``.
    ///
    /// - Parameter answer: the answer; a prompt without that choice gets the nearest one.
    public func answersAll(_ answer: Answer) {
        self.answers { _, _ in answer }
    }

    /// Answers questions from now on, each after ``reactionTime``.
    ///
    /// - Parameters:
    ///   - answer: returns the answer to a question of the app with that bundle identifier; nil: the person
    ///     does not answer.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func answers(
        _ answer: @escaping (Question, String) -> Answer?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.host.user.habit = answer
        self.host.group.act(at: sourceLocation) { self.host.user.ask() }
    }

    /// Answers no more questions from now on.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func answersNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.user.habit = nil
    }

    /// Answers the prompt on the screen; if there is none, this is reported as a problem of the test.
    ///
    /// - Parameters:
    ///   - answer: the answer.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func answer(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) {
            guard self.host.user.prompt != nil || self.host.context.story != nil else {
                return self.host.context.problems.add(
                    "the person was to answer \(answer), but nothing is asked; the app may not be in the foreground, may "
                        + "have been answered before, or its Info.plist may lack the usage description"
                )
            }
            self.host.user.answer(answer)
        }
    }

    // MARK: Apps

    /// Opens an app: starts it or brings it to the front.
    ///
    /// The previous app goes to the background.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func open(_ app: VirtualApp, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.open(app.bundle) }
    }

    /// Leaves the app for the home screen; the app goes to the background.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func leave(_ app: VirtualApp, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.leave(app.bundle) }
    }

    /// Closes an app for good, with a swipe: its process is killed.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func close(_ app: VirtualApp, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.terminate(app.bundle, by: .person) }
    }

    // MARK: The lock

    /// Locks the device: the app in front goes to the background, and no app can be opened.
    ///
    /// Background apps continue.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func lock(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.lock() }
    }

    /// Unlocks the device: the app that was in front when it was locked is in front again, if it runs.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func unlock(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.unlock() }
    }

    // MARK: Settings

    /// Changes an app's setting in Settings.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - setting: the new setting.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func set(_ app: VirtualApp, to setting: Setting, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.user.set(app.bundle, to: setting) }
    }

    /// Switches the precise location of an app on or off.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - precise: whether the app may know the precise location.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func set(_ app: VirtualApp, precise: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.user.set(app.bundle, precise: precise) }
    }

    /// Switches location services on or off, for all apps; without effect if the owner's rules decide about them.
    ///
    /// - Parameters:
    ///   - on: whether to switch location services on.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func switchLocationServices(on: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.user.switchServices(on: on) }
    }

    /// Resets "Location & Privacy" in Settings: every app must ask again, and is precise; no effect on apps that the owner's rules lock.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func resetLocationAndPrivacy(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.user.resetLocationAndPrivacy() }
    }

    /// Dismisses a live activity of an app.
    ///
    /// - Parameters:
    ///   - title: the title that the live activity shows.
    ///   - app: the app.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func dismissLiveActivity(
        _ title: String,
        of app: VirtualApp,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.host.group.act(at: sourceLocation) { self.host.user.dismissActivity(title, of: app.bundle) }
    }

    /// Lights the display: apps whose beacon regions set `notifyEntryStateOnDisplay` are notified which of these regions the
    /// device is in.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func lightDisplay(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.user.lightDisplay() }
    }

    /// Switches background app refresh for an app.
    ///
    /// With the refresh off, the system does not launch the app into the background. Its push extension still runs.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - on: whether the system may launch it into the background.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func switchBackgroundRefresh(
        of app: VirtualApp,
        on: Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.host.group.act(at: sourceLocation) { self.host.apps.switchBackgroundRefresh(of: app.bundle, on: on) }
    }

    /// Signs out of an app that does not notify its server: its files and defaults are removed, while its token and the
    /// person's decisions about it stay.
    ///
    /// A running process of the app keeps its memory.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func signOut(of app: VirtualApp, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.signOut(of: app.bundle) }
    }

    /// Switches low power mode.
    ///
    /// No app is launched into the background, and pushes of priority 5 and 1 wait until the mode is off.
    ///
    /// - Parameters:
    ///   - on: whether to switch the mode on.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func switchLowPowerMode(on: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.gateway.switchLowPowerMode(on: on) }
    }

    /// Switches airplane mode on or off: satellites are still received, and no push arrives.
    ///
    /// - Parameters:
    ///   - on: whether to switch the mode on.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func switchAirplaneMode(on: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) {
            guard self.host.service.isOn("airplane mode was to be switched") else { return }
            self.host.gateway.switchNetwork(on: !on)
        }
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
    /// The choice in a prompt that is nearest to this answer.
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
