package import WhereaboutsLocationWireMessages

/// How a client reaches the device: a socket to locationd, or the virtual device in the same process.
///
/// Messages are passed as values; only the socket encodes them.
package protocol Transport: Sendable {
    /// Begins to deliver; events come one after the other, never two at once.
    ///
    /// The first ``TransportEvent/connected`` comes before `start` returns if the device can be reached at once.
    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void)

    /// Sends a message; what cannot be sent is lost, and ``TransportEvent/disconnected`` follows.
    func send(_ message: WireClientMessage)

    /// Called when an object of the client is used, also where there is nothing to send.
    func used()

    /// Called for a bug of the app that Apple's system ends it for.
    ///
    /// - Parameter rule: the rule that it broke, and the remedy.
    func refused(_ rule: String)

    /// Reports an app's bug for which Apple's system ends the app; here it continues.
    ///
    /// - Parameter rule: the rule that it broke, and the remedy.
    func misused(_ rule: String)

    /// Called when a monitor is opened under the name of another open monitor.
    func openedAgain(monitor name: String)

    /// Called when an extension called the completion of a push again.
    func completedAgain()

    /// Called when a loop begins over the diagnostics of a session that has ended.
    func watchedEnded()

    /// Whether a second loop over a monitor's events may begin.
    func mayReadAgain() -> Bool

    /// Where the delegates of managers are called that are created now; nil: as Apple documents.
    var callbacks: CallbackContext? { get }
}

extension Transport {
    package func used() {}

    /// Does nothing: the second call is harmless.
    package func completedAgain() {}

    /// Does nothing: the loop ends at once.
    package func watchedEnded() {}

    /// Ends the process, as Apple's system does.
    package func refused(_ rule: String) {
        preconditionFailure(rule)
    }

    /// Writes the rule to standard error.
    package func misused(_ rule: String) { LocationClient.complain(rule) }

    /// Prints a message on the terminal.
    package func openedAgain(monitor name: String) {
        LocationClient.complain(
            "the monitor \"\(name)\" is open in this process already; both share its conditions and events"
        )
    }

    /// It may, and shares the events.
    package func mayReadAgain() -> Bool { true }

    package var callbacks: CallbackContext? { nil }
}

/// An event of a transport.
package enum TransportEvent: Sendable {
    /// The device can be reached; it knows nothing of what was sent on an earlier connection.
    case connected
    case message(WireDaemonMessage)
    /// The device cannot be reached; the transport goes on trying.
    case disconnected
}
