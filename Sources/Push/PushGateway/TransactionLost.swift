/// The database undid the whole transaction, as it does when the disk fails.
struct TransactionLost: Error {}
