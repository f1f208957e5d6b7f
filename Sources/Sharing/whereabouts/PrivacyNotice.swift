/// The words for a person before they let somebody ask where they are; `PRIVACY.md` has the same ones.
enum PrivacyNotice {
    static let text = """
        Whoever you let ask gets your position, as exactly and for as long as you say, each time they ask, without a question to you unless you give --ask-me.
        Whoever may ask may let a timer ask, every quarter of an hour at most: `whereabouts timers` shows whose timers ask you, and ends them.
        Nobody follows you unless you give --follow, and then each of your moves is told: `whereabouts followers` shows who does, and ends it.
        The server sees which keys ask which keys, and when. It does not see where you are.
        Your device keeps a journal of every answer, for you alone: `whereabouts journal`.
        You can take it back at any moment: `whereabouts revoke`. Your device refuses from then on, whatever the server does.
        If you share with several devices, each lists what it knows itself: its timers, followers, answers, and the grants that were given or used on it.
        What somebody was told, they know; nothing takes that back.
        """
}
