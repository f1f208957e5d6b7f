/// The story that is played on a device, for the parts of the device that tell it what happens.
final class PlayedStory {
    /// Plays the story; nil: no troubles happen.
    var player: StoryPlayer?
}
