/// The database undid the whole transaction, for example because the disk failed.
struct TransactionLost: Error {}
