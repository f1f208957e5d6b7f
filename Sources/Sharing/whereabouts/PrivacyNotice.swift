internal import WhereaboutsSharing

/// The notice that a person sees before they approve a friend for the first time; `PRIVACY.md` has the same text.
enum PrivacyNotice {
    static let text = """
        Anyone you approve can see your location whenever they ask, at the precision and until the date you choose. Add --ask-me to confirm each time.
        They may also schedule requests, at most every 15 minutes: `whereabouts schedules` lists the schedules and ends them.
        Live following is off unless you add --follow: `whereabouts followers` lists who follows you and ends it.
        The server sees which keys ask which keys, and when. It does not see where you are.
        Your device keeps a journal of every answer, for you alone: `whereabouts journal`.
        You can revoke a permission at any time: `whereabouts revoke`. Your device refuses from then on, whatever the server does.
        If you share with several devices, each lists its own schedules, followers and answers, and the grants that were given or used on it.
        A position that someone has received cannot be taken back.
        """

    /// The short reminder for a person who has seen the notice.
    static let reminder = "You can revoke this permission at any time: `whereabouts revoke`."

    /// Returns the notice, or the reminder for a person who has approved somebody before.
    static func words(for profile: ProfileOption) -> String {
        (try? profile.open().readableGrants().grants.isEmpty) == false ? self.reminder : self.text
    }
}
