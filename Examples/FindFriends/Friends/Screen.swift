import Foundation

#if os(iOS)
import UserNotifications
import os
#endif

/// The lines that the app and its extension show a person: notifications on iOS, lines of the terminal on Linux.
public enum Screen {
    /// The kind of a screen, which decides how a person acts on what it shows.
    public enum Kind: Sendable {
        /// The app has views with buttons.
        case phone
        /// A person types commands.
        case terminal

        /// The kind of this device's screen.
        public static var this: Kind {
            #if os(iOS)
            .phone
            #else
            .terminal
            #endif
        }
    }

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
    /// - Parameters:
    ///   - line: the line. It names no person and no place.
    ///   - quotesOthers: whether it may quote a server. Then iOS shows it to nobody but a debugger.
    public static func log(_ line: String, quotesOthers: Bool) {
        #if os(iOS)
        let logger = Logger(subsystem: Friends.bundleIdentifier, category: "sharing")
        if quotesOthers {
            logger.error("\(line, privacy: .private)")
        } else {
            logger.error("\(line, privacy: .public)")
        }
        #else
        FileHandle.standardError.write(Data("\(line)\n".utf8))
        #endif
    }
}
