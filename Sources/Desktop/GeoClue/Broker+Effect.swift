extension Broker {
    /// A command to the host.
    package enum Effect: Sendable, Hashable {
        case answer(CallID, BusAnswer)
        /// Connect to locationd as a client's app; install the app if necessary.
        case connect(ClientNumber, Asker)
        /// Connect again; do not install the app again: if it is missing, a person removed it.
        case reconnect(ClientNumber, Asker)
        /// Close the connection of a client, if there is one.
        case disconnect(ClientNumber)
        /// Ask the person for a client's app.
        case ask(ClientNumber)
        /// Send a client's wishes to locationd.
        case declare(ClientNumber, Wishes.Service)
        /// Report to locationd that a client needs no positions now.
        case withdraw(ClientNumber)
        /// Send `LocationUpdated` to a program.
        case updated(to: String, client: String, old: String, new: String)
        /// Send `PropertiesChanged` to a program, or to all programs if `to` is nil.
        case changed(to: String?, path: String, interface: String, [BusAnswer.Entry])
        /// Read an agent's limit, and report it with `agentAllowed`.
        case meet(agent: String)
        /// Start or stop receiving locationd's prompts.
        case watchPrompts(Bool)
        /// Call an agent, which asks its person.
        case authorize(agent: String, PromptNumber, desktopID: String, AccuracyLevel)
        /// Read locationd's list of apps again.
        case recount
        /// Remove an app from locationd.
        case forget(String)
        /// Answer one of locationd's prompts.
        case answerPrompt(PromptNumber, AgentCoordinator.Answer)
    }
}
