internal import CoreFoundation
internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import CoreLocation

/// Goal: delegates are called where their manager was created (ADR 0007).
@Suite struct CallbackContextTests {
    /// Runs blocking work on a separate thread, so that it occupies no thread of the cooperative pool.
    private func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: work()) }.start()
        }
    }

    @MainActor private static func ofTheMainActor() -> CallbackContext { .current() }

    @Test func whatBeganOnTheMainActorIsCalledOnTheMainQueue() async {
        let context = await Self.ofTheMainActor()
        let isMain = await withCheckedContinuation { continuation in
            context.perform { continuation.resume(returning: MainActor.assumeIsolated { true }) }
        }
        #expect(isMain)
    }

    @Test func whatBeganOnAThreadIsCalledInItsRunLoopWhichWakes() async {
        let (isSame, time) = await self.onThread {
            let context = CallbackContext.current()
            let thread = ObjectIdentifier(Thread.current)
            let called = Mutex<Bool?>(nil)
            Thread {
                context.perform {
                    called.withLock { $0 = ObjectIdentifier(Thread.current) == thread }
                    CFRunLoopStop(CFRunLoopGetCurrent())
                }
            }.start()
            // A run loop sleeps only while it has a source; Foundation sometimes fires a new timer early.
            let keepAlive = Timer(timeInterval: 60, repeats: true) { _ in }
            RunLoop.current.add(keepAlive, forMode: .default)
            let began = ContinuousClock.now
            while called.withLock({ $0 }) == nil, ContinuousClock.now - began < .seconds(30) {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 30))
            }
            keepAlive.invalidate()
            return (called.withLock { $0 }, ContinuousClock.now - began)
        }
        #expect(isSame == true)
        #expect(time < .seconds(20), "it was not woken")
    }

    @Test func whatBeganInATaskIsCalledOnAQueueOfItsOwn() async {
        let context = await Self.made()
        let order = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<100 { context.perform { order.withLock { $0.append(number) } } }
            context.perform { continuation.resume() }
        }
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    @concurrent private static func made() async -> CallbackContext { .current() }
}
