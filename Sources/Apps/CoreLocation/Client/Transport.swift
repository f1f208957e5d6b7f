package import WhereaboutsLocationWireMessages

/// The connection of a client to the device: a socket to locationd, or the virtual device in the same process.
///
/// Messages are passed as values; only the socket encodes them.
package protocol Transport: Sendable {
    /// Starts to deliver events, one after the other.
    ///
    /// If the device can be reached, the first ``TransportEvent/connected`` is delivered before `start` returns.
    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void)

    /// Sends a message; a message that cannot be sent is lost, and ``TransportEvent/disconnected`` follows.
    func send(_ message: WireClientMessage)

    /// Called when the app uses an object of the client, even if nothing is sent.
    func used()

    /// Reports a bug of the app for which Apple's system ends the app.
    ///
    /// - Parameter rule: the rule that the app broke, and the remedy.
    func refused(_ rule: String)

    /// Reports a bug of the app for which Apple's system ends the app, but this system does not.
    ///
    /// - Parameter rule: the rule that the app broke, and the remedy.
    func misused(_ rule: String)

    /// Called when a monitor is opened under the name of another open monitor.
    func openedAgain(monitor name: String)

    /// Called when an extension calls the completion of a push a second time.
    func completedAgain()

    /// Called when a loop begins over the diagnostics of a session that has ended.
    func watchedEnded()

    /// Whether a second loop over a monitor's events may begin.
    func mayReadAgain() -> Bool

    /// Where to call the delegates of managers that are created now; nil: as Apple documents.
    var callbacks: CallbackContext? { get }

    /// Called when the app calls something that it awaits, or starts a request whose answer it awaits.
    ///
    /// - Parameters:
    ///   - call: the name of the call, or of the sequence of a loop.
    ///   - loop: the client's number for the loop that asks for its next element; nil if the call is not from a loop.
    func awaits(_ call: String, loop: UInt64?)
}

extension Transport {
    package func used() {}

    /// Does nothing.
    package func awaits(_ call: String, loop: UInt64?) {}

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

    /// Allows a second loop, which shares the events with the first.
    package func mayReadAgain() -> Bool { true }

    package var callbacks: CallbackContext? { nil }
}

/// An event of a transport.
package enum TransportEvent: Sendable {
    /// The device can be reached; it remembers nothing from an earlier connection.
    case connected
    case message(WireDaemonMessage)
    /// The device cannot be reached; the transport keeps trying.
    case disconnected
}
