internal import ArgumentParser
struct TrackCommand: ParsableCommand {}
