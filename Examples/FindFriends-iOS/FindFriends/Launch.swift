import Observation
import UserNotifications
import WhereaboutsSharing

/// The beginning of the app: the person's files are opened, and sharing runs from then on.
@MainActor @Observable final class Launch {
    /// The model; nil until a server is chosen.
    private(set) var model: FriendsModel?
    /// The reason why there is no model, for the person.
    private(set) var problem: String?

    /// Opens the files, and shares; nothing happens if it shares already.
    ///
    /// - Parameter settings: the server, at the first launch.
    func begin(settings: ServerSettings? = nil) {
        guard self.model == nil else { return }
        do {
            let friends = Friends()
            let sharer = try friends.sharer(settings: settings)
            let model = FriendsModel(sharer: sharer, requester: try friends.requester())
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
        } catch {
            self.problem = settings == nil ? nil : "\(error)"
        }
    }
}
