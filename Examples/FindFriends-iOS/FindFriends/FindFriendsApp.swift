import SwiftUI

/// The app on iOS: the views, and the launch of what `Friends` does without views.
@main
struct FindFriendsApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup {
            if let model = self.delegate.launch.model {
                PeopleView(model: model)
            } else {
                WelcomeView(launch: self.delegate.launch)
            }
        }
    }
}
