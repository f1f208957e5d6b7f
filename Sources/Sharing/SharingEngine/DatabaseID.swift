package import WhereaboutsVocabulary

/// The random name of a server's database, which the server draws at each start and shows in each reply.
///
/// A SQLite database can only be lost, or replaced by a backup, while the server is stopped. So a database that forgot something always
/// has another name. A plain restart changes the name, too; sharers then repeat messages that the server has, which is harmless (ADR
/// 0021). Servers on PostgreSQL share the name that the first one drew (ADR 0129).
package typealias DatabaseID = Identifier128<DatabaseMemory>
