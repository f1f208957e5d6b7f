import Foundation

#if os(iOS)
import UserNotifications
import os
#endif

/// The lines that the app and its extension show a person: notifications on iOS, lines of the terminal on Linux.
public enum Screen {
    /// Shows a line.
    public static func show(_ line: String) {
        #if os(iOS)
        let content = UNMutableNotificationContent()
        content.body = line
        let request = UNNotificationRequest(identifier: UUID().uuidString, content: content, trigger: nil)
        UNUserNotificationCenter.current().add(request)
        #else
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        #endif
    }

    /// Logs a line for a developer.
    ///
    /// The line names no person and no place. On iOS it is private all the same: an error may quote a server.
    public static func log(_ line: String) {
        #if os(iOS)
        Logger(subsystem: Friends.bundleIdentifier, category: "sharing").error("\(line, privacy: .private)")
        #else
        FileHandle.standardError.write(Data("\(line)\n".utf8))
        #endif
    }
}
