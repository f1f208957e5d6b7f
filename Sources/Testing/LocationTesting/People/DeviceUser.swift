internal import OrderedCollections
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// The user of a device: answers to prompts, and changes of settings.
///
/// A test acts through ``Person``, and a story through the same functions.
final class DeviceUser {
    private let context: DeviceContext
    private let timeline: Timeline
    private let service: LocationService
    private let apps: AppProcesses
    /// The answers to the questions of the app with that bundle identifier; nil: the user does not answer.
    var habit: ((Person.Question, String) -> Person.Answer?)? { didSet { self.minds += 1 } }
    /// How often the user changed their mind: an answer from before the change is dropped.
    private var minds = 0
    /// The time that the user reads before they answer.
    var reactionTime = Duration.seconds(2)

    init(_ context: DeviceContext, _ service: LocationService, _ apps: AppProcesses) {
        (self.context, self.timeline, self.service, self.apps) = (context, context.timeline, service, apps)
    }

    /// The prompt on the screen; nil while the location service is down, too.
    var prompt: Prompt? { self.service.isServing ? self.service.core.engine.currentPrompt : nil }

    /// Shows the question to the person, who answers after a while, or not.
    func ask() {
        guard let asked = self.prompt else { return }
        guard let habit = self.habit else { return self.context.story?.momentBegan(.answer) ?? () }
        guard let answer = habit(Person.Question(asked.question), asked.bundle.rawValue) else { return }
        let (engines, mind) = (self.service.disk.restarts, self.minds)
        self.context.time.schedule(after: self.reactionTime) { [unowned self] in
            // A restarted engine numbers its questions from the start again.
            guard self.prompt?.id == asked.id, self.service.disk.restarts == engines, self.minds == mind else { return }
            self.answer(answer)
        }
    }

    func answer(_ answer: Person.Answer) {
        guard let prompt = self.prompt else { return }
        let answer = answer.answer(to: prompt.question)
        self.timeline.add(.event, "person", "answers \(prompt.bundle): \(answer.words)")
        self.service.feed(.promptAnswered(prompt.id, answer))
    }

    func set(_ bundle: BundleID, to setting: Person.Setting) {
        guard self.service.isHeard("\(bundle) was to be set to \(setting.words)") else { return }
        let locked = self.service.core.engine.mayBeSet(bundle) ? "" : ", without effect: it is locked by the owner"
        self.timeline.add(.event, "person", "sets \(bundle) to \(setting.words)\(locked)")
        self.service.order(.change(SettingsChange(bundle: bundle, location: setting.setting)))
    }

    func set(_ bundle: BundleID, precise: Bool) {
        guard self.service.isHeard("the precise location of \(bundle) was to be switched") else { return }
        self.timeline.add(.event, "person", "switches the precise location of \(bundle) \(precise ? "on" : "off")")
        self.service.order(.change(SettingsChange(bundle: bundle, isPrecise: precise)))
    }

    func resetLocationAndPrivacy() {
        guard self.service.isHeard("Location & Privacy was to be reset") else { return }
        self.timeline.add(.event, "person", "resets Location & Privacy")
        for bundle in self.apps.installed.keys {
            self.service.order(.change(SettingsChange(bundle: bundle, location: .askNextTime, isPrecise: true)))
        }
    }

    func switchServices(on: Bool) {
        guard self.service.isHeard("location services were to be switched") else { return }
        let locked = self.service.core.engine.areServicesManaged ? ", without effect: the owner decides about them" : ""
        self.timeline.add(.event, "person", "switches location services \(on ? "on" : "off")\(locked)")
        self.service.order(.change(SettingsChange(areServicesOn: on)))
    }

    func dismissActivity(_ title: String, of bundle: BundleID) {
        guard self.service.isHeard("\(title) of \(bundle) was to be dismissed") else { return }
        self.timeline.add(.event, "person", "dismisses \(title) of \(bundle)")
        self.service.feed(.activityDismissed(bundle, title: title))
    }

    func lightDisplay() {
        guard self.service.isHeard("the display was to be lit") else { return }
        self.timeline.add(.event, "person", "lights the display")
        self.service.feed(.displayLit)
    }
}
