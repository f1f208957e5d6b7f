import CoreLocation
import Foundation

/// An app that records the thread and the queue of each part of its code.
@MainActor final class WhereItRuns: NSObject, @MainActor CLLocationManagerDelegate {
    /// Whether each part runs on the main thread, by what it asks.
    private(set) var isMain: [String: [Bool]] = [:]
    private let manager = CLLocationManager()
    private nonisolated static let key = DispatchSpecificKey<String>()

    override init() {
        super.init()
        DispatchQueue.main.setSpecific(key: Self.key, value: "main")
        self.note("init")
        Task { self.note("task") }
        Task.detached {
            let found = Self.answers()
            await self.note("detached", found)
        }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.note("main queue") } }
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) { MainActor.assumeIsolated { self.note("later") } }
        OperationQueue.main.addOperation { MainActor.assumeIsolated { self.note("main operation queue") } }
        let queue = DispatchQueue(label: "com.example.queue")
        queue.setSpecific(key: Self.key, value: "own")
        queue.async {
            dispatchPrecondition(condition: .onQueue(queue))
            dispatchPrecondition(condition: .notOnQueue(.main))
            let found = Self.answers()
            let isOwn = DispatchQueue.getSpecific(key: Self.key) == "own"
            let other = DispatchQueue(label: "com.example.other")
            other.setSpecific(key: Self.key, value: "other")
            let isOther = other.sync { DispatchQueue.getSpecific(key: Self.key) == "other" }
            let isBack = DispatchQueue.getSpecific(key: Self.key) == "own"
            Task { @MainActor in self.note("own queue", found + [!isOwn, !isOther, !isBack]) }
        }
        self.manager.delegate = self
        self.manager.requestWhenInUseAuthorization()
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { self.note("delegate") }

    /// The answers to code that asks for the main thread here.
    private nonisolated static func answers() -> [Bool] {
        [Thread.isMainThread, DispatchQueue.getSpecific(key: self.key) == "main"]
    }

    func note(_ part: String) {
        dispatchPrecondition(condition: .onQueue(.main))
        self.note(part, Self.answers())
    }

    private func note(_ part: String, _ answers: [Bool]) { self.isMain[part] = answers }
}
