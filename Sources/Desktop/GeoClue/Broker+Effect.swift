extension Broker {
    /// A command to the host.
    package enum Effect: Sendable, Hashable {
        case answer(CallID, BusAnswer)
        /// Connect with locationd as an app, for a client; install that if it is not there.
        case connect(ClientNumber, Asker)
        /// Connect again; an app that no longer exists was removed.
        case reconnect(ClientNumber, Asker)
        /// Close the connection of a client, if there is one.
        case disconnect(ClientNumber)
        /// Ask the person for a client's app.
        case ask(ClientNumber)
        /// Send locationd a client's wishes.
        case declare(ClientNumber, Wishes.Service)
        /// Tell locationd that a client needs nothing for now.
        case withdraw(ClientNumber)
        /// Send `LocationUpdated` to a program.
        case updated(to: String, client: String, old: String, new: String)
        /// Send `PropertiesChanged`; nil: to all.
        case changed(to: String?, path: String, interface: String, [BusAnswer.Entry])
        /// Read an agent's limit, and report `agentAllowed`.
        case meet(agent: String)
        /// Start or stop receiving locationd's prompts.
        case watchPrompts(Bool)
        /// Have an agent ask its person.
        case authorize(agent: String, PromptNumber, desktopID: String, AccuracyLevel)
        /// Read again which apps locationd has.
        case recount
        /// Remove an app from locationd.
        case forget(String)
        /// Answer a prompt of locationd's.
        case answerPrompt(PromptNumber, AgentCoordinator.Answer)
    }
}
