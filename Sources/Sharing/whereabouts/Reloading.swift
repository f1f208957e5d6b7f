internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Makes a server read its files again on SIGHUP, the usual signal after renewing a certificate.
struct Reloading: Service {
    /// The signals, from before the files were read for the first time.
    let signals: UnixSignalsSequence
    let logger: Logger
    /// The reload functions: each handles one file or one group of files, and returns a warning.
    ///
    /// A failed reload does not stop the others. Otherwise a bad certificate would keep revoked keys valid.
    let reloads: [@Sendable () throws -> String?]

    /// The signals that ask for a reload; until this is called, they end the process.
    static func signals() async -> UnixSignalsSequence { await UnixSignalsSequence(trapping: .sighup) }

    func run() async throws {
        for await _ in self.signals.cancelOnGracefulShutdown() {
            var areAllTaken = true
            for reload in self.reloads {
                do {
                    if let warning = try reload() { self.logger.warning("\(warning)") }
                } catch {
                    areAllTaken = false
                    self.logger.error(
                        "a file could not be loaded; its old content stays in use",
                        metadata: ["reason": "\(error)"]
                    )
                }
            }
            if areAllTaken { self.logger.info("the files were read again") }
        }
    }
}
