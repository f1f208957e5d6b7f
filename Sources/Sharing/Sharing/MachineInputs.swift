internal import WhereaboutsVocabulary

/// The queue of inputs for a machine that one task runs; child tasks, which perform effects, and a timer add inputs.
struct MachineInputs<Input: Sendable> {
    private enum Element: Sendable {
        case input(Input)
        case timer
    }

    let clock = ProcessClock()
    private let continuation: AsyncStream<Element>.Continuation
    private var iterator: AsyncStream<Element>.Iterator
    /// The deadline that a child task sleeps for.
    private var armed: EngineInstant?

    init() {
        // The stream needs no limit: each effect causes few inputs, and a machine has few effects in progress.
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        self.continuation = continuation
        self.iterator = stream.makeAsyncIterator()
    }

    /// Puts an input at the end of the queue, from any task.
    var feed: @Sendable (Input) -> Void {
        { [continuation = self.continuation] in continuation.yield(.input($0)) }
    }

    /// Waits for the next input.
    ///
    /// - Parameters:
    ///   - deadline: the machine's deadline.
    ///   - timer: the input that reports that the deadline was reached.
    ///   - group: the task group that runs the timer.
    /// - Returns: the input; nil when the task is cancelled.
    mutating func next(
        deadline: EngineInstant?,
        timer: Input,
        in group: inout DiscardingTaskGroup
    ) async -> Input? {
        if let deadline, deadline != self.armed {
            self.armed = deadline
            group.addTask { [clock = self.clock, continuation = self.continuation] in
                guard (try? await clock.sleep(until: deadline)) != nil else { return }
                continuation.yield(.timer)
            }
        }
        switch await self.iterator.next(isolation: #isolation) {
        case .input(let input): return input
        case .timer:
            // This may be an earlier deadline's timer: the machine ignores it, and the next call starts the right timer.
            self.armed = nil
            return timer
        case nil: return nil
        }
    }
}
