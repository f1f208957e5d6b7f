/// A dispatcher's signed permission for its bearer to read the events of the dispatcher's incidents.
package struct IncidentsPermit: Sendable, Hashable {
    /// The dispatching organisation's key.
    package let dispatcher: PublicIdentity

    package init(dispatcher: PublicIdentity) {
        self.dispatcher = dispatcher
    }
}
