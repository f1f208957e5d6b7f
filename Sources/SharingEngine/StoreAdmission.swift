/// What came of a request at the store's door.
package enum StoreAdmission: Sendable {
    /// It was accepted before; nothing changed.
    case known
    /// The machine decided; an accepted request is on disk.
    case decided(RequestLife.OnVerified)
}
