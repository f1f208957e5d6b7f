import Observation
import UserNotifications
import WhereaboutsSharing

/// The beginning of the app: the person's files are opened, and sharing runs from then on.
@MainActor @Observable final class Launch {
    /// The model; nil until a server is chosen, and while the files cannot be read.
    private(set) var model: FriendsModel?
    /// The reason why there is no model, for the person.
    private(set) var problem: String?

    /// Opens the files, and shares; nothing happens if it shares already.
    ///
    /// - Parameter settings: the server, at the first launch.
    func begin(settings: ServerSettings? = nil) {
        guard self.model == nil else { return }
        self.problem = nil
        switch Friends().open(settings: settings) {
        case .ready(let sharer, let requester): self.share(sharer, FriendsModel(sharer: sharer, requester: requester))
        case .new: break
        case .failed(let reason):
            self.problem = reason
            // A launch in the background shows no view. The reason names files, and no person.
            Screen.log(reason, quotesOthers: false)
        }
    }

    private func share(_ sharer: Sharer, _ model: FriendsModel) {
        self.model = model
        Task {
            // The extension shows notifications, too.
            _ = try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound])
        }
        Task {
            await SharingApp.run(sharer) { status in
                Task { @MainActor in model.status = status }
            }
        }
    }
}
