/// The content of a console: a page, the events that it shows, and the orders that it gives.
package protocol ConsoleSite: Sendable {
    /// The document.
    var page: ConsolePage { get }
    /// The names of the orders; each is a path below the page.
    var actions: Set<String> { get }

    /// Creates the events for one open page.
    ///
    /// - Parameter query: the part of the URL after `?`.
    /// - Returns: the events; the server releases them when the page is closed.
    func feed(_ query: String) -> any ConsoleFeed

    /// Carries out an order.
    ///
    /// - Parameters:
    ///   - action: one of ``actions``.
    ///   - body: the order, JSON.
    /// - Returns: the reply, JSON.
    /// - Throws: an error whose description is shown to the person.
    func act(_ action: String, _ body: String) async throws -> String
}

/// The events for one open page.
package protocol ConsoleFeed: Sendable {
    /// Waits for events, at most two seconds.
    ///
    /// - Returns: the events, the oldest first.
    func next() async -> [ConsoleEvent]
}

/// An event for a page: a name, and JSON.
package struct ConsoleEvent: Sendable, Hashable {
    package let name: String
    package let data: String

    package init(_ name: String, _ data: String) {
        self.name = name
        self.data = data
    }

    /// The event in the format `text/event-stream`.
    package var text: String {
        let data = self.data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }.joined()
        return "event: \(self.name)\n\(data)\n"
    }
}
