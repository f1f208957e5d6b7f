extension Broker {
    /// A command to the host.
    package enum Effect: Sendable, Hashable {
        case answer(CallID, BusAnswer)
        /// Connect with locationd as an app, for a client; install that if it is not there.
        case connect(ClientNumber, Asker)
        /// Connect again; an app that is not there any more was removed.
        case reconnect(ClientNumber, Asker)
        /// Close the connection of a client, if there is one.
        case disconnect(ClientNumber)
        /// Ask the person for a client's app.
        case ask(ClientNumber)
        /// Tell locationd what a client wants.
        case declare(ClientNumber, Wishes.Service)
        /// Tell locationd that a client wants nothing for now.
        case withdraw(ClientNumber)
        /// Send `LocationUpdated` to a program.
        case updated(to: String, client: String, old: String, new: String)
        /// Send `PropertiesChanged`; nil: to all.
        case changed(to: String?, path: String, interface: String, [BusAnswer.Entry])
        /// Read what an agent's desktop allows, and say `agentAllowed`.
        case meet(agent: String)
        /// Begin, or end, to learn of locationd's prompts.
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
