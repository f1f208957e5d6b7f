import UIKit
import UserNotifications

/// Starts sharing at each launch, also at one in the background: a scene may never appear.
final class AppDelegate: NSObject, UIApplicationDelegate {
    let launch = Launch()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        self.launch.begin()
        return true
    }

    // The device is unlocked for the first time since it started: the keychain can be read now.
    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        self.launch.begin()
    }
}
