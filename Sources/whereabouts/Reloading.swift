internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Has a server read its files again on SIGHUP, as those expect who renew a certificate.
struct Reloading: Service {
    let logger: Logger
    let reload: @Sendable () throws -> Void

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            do {
                try self.reload()
                self.logger.info("the files were read again")
            } catch {
                self.logger.error(
                    "a file could not be taken; its old content stays in force",
                    metadata: ["reason": "\(error)"]
                )
            }
        }
    }
}
