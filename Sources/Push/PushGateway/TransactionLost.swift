/// The database gave the whole transaction up by itself, as it does when the disk fails under it.
struct TransactionLost: Error {}
