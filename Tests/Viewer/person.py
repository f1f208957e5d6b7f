#!/usr/bin/env python3
"""Opens the pages of `whereabouts web` of two people: person.py chromium|firefox ADDRESS-OF-BOB ADDRESS-OF-ALICE [PICTURES].

Bob may ask Alice, who is asked each time. Prints what Alice's page holds in the end.
"""
import sys

from browser import BROWSERS, Failure


def check(what, is_so, found=""):
    if not is_so:
        raise Failure(f"{what}: {found}")


def press(browser, label):
    """Presses the button of a label, once it is there."""
    browser.wait(f"the button {label}", "const e = document.querySelector(`button[aria-label^='${arguments[0]}']`);"
                 "if (!e || e.disabled || !e.checkVisibility()) return false; e.click(); return true", label)


def fill(browser, form, **values):
    """Opens a form, fills its fields, sends it, and returns the element that holds it."""
    browser.run("const [form, values] = arguments; const e = document.querySelector(form); e.closest('details').open = true;"
                "for (const [name, value] of Object.entries(values)) e.elements[name][value === true ? 'checked' : 'value'] = value;"
                "e.requestSubmit()", form, {name.replace("_", "-"): value for name, value in values.items()})


def made(browser, part):
    """The line that a form made, with its QR code."""
    line = browser.wait(f"a line in {part}", "const e = document.querySelector(`#${arguments[0]} .handed`);"
                        "return e && e.querySelector('canvas').width > 100 && e.querySelector('code').innerText", part)
    return line.replace("\n", "")


def exchange(alice, bob):
    """Alice invites Bob, who lets her ask; each pastes what the other page made."""
    fill(alice, "#invite form", name="Alice", **{"for": "1d"})
    fill(bob, "#accept form", text=made(alice, "invite"))
    number = bob.wait("the number", "return document.querySelector('#accept .number')?.innerText")
    check("the number to compare", number in alice.text("invite"), number)
    check("axe-core, a line that was read", (found := bob.barriers()) == [], found)
    fill(bob, "#accept form + form", uses="0")
    check("the browser knows the range", bob.run("return document.querySelector('#accept form + form [name=uses]').validity.rangeUnderflow"))
    fill(bob, "#accept form + form", uses="5", precision="reduced")
    grant = made(bob, "accept")
    fill(alice, "#accept form", text=grant[:-9])
    alice.wait_for_text("accept", "altered or cut")
    fill(alice, "#accept form", text=grant)
    alice.wait_for_text("accept", "approximate")
    fill(alice, "#accept form + form", name="Bob")
    alice.wait_for_text("accept", "You can ask Bob")
    alice.wait_for_text("friends", "Bob")
    bob.wait_for_text("grants", "5 of 5")


def group(alice, bob):
    """Alice makes a group, Bob becomes a member, and she removes him; he leaves."""
    fill(alice, "#group form", who="family", **{"for": "7d"})
    press(alice, "Invite: family")
    fill(bob, "#accept form", text=made(alice, "group-made"))
    bob.wait_for_text("accept", "invites you to the group family")
    fill(bob, "#accept form + form", name="Alice", own_name="Bob")
    fill(alice, "#accept form", text=made(bob, "accept"))
    alice.wait_for_text("accept", "wants to join your group family")
    fill(alice, "#accept form + form", name="Bob")
    alice.wait_for_text("accept", "Bob is a member of family")
    alice.wait_for_text("groups", "Bob")
    bob.wait_for_text("groups", "family")
    check("axe-core, a group", (found := alice.barriers()) == [], found)
    for browser in (alice, bob):
        browser.run("window.confirm = () => true")
    press(alice, "Remove: Bob")
    alice.wait("a group without Bob", "return !document.getElementById('groups').innerText.includes('Bob')")
    press(bob, "Leave: family")
    bob.wait_for_text("groups", "You are in no group")


def link(alice):
    """Makes a link with a password, hides it, and returns it."""
    fill(alice, "#link form", name="weekend", uses="3", password="short")
    alice.wait_for_text("link", "at least 6 characters")
    fill(alice, "#link form", password="long enough")
    link = made(alice, "link")
    alice.wait_for_text("grants", "link weekend")
    check("axe-core, a link", (found := alice.barriers()) == [], found)
    alice.run("document.querySelector('#link .handed button:last-child').click()")
    check("a hidden link is gone", link not in alice.run("return document.documentElement.outerHTML"))
    return link


def main():
    name, bobs, alices, *pictures = sys.argv[1:]
    size = {"size": (1280, 900)}
    with BROWSERS[name](**size) as bob, BROWSERS[name](**size) as alice:
        for browser, address in ((bob, bobs), (alice, alices)):
            browser.open(address)
            browser.wait_for_text("status", "Live")
            check("the token is not in the address", "token" not in browser.run("return location.href"))
        bob.wait_for_text("friends", "Alice")
        alice.wait_for_text("grants", "holds")
        alice.wait_for_text("devices", "answers")
        press(bob, "Ask: Alice")
        alice.wait_for_text("questions", "asks where you are now")
        bob.wait_for_text("requests", "asking")
        check("axe-core, a question", (found := alice.barriers()) == [], found)
        if pictures:
            alice.picture(f"{pictures[0]}/question.png")
        press(alice, "Yes: ")
        bob.wait_for_text("requests", "answered")
        bob.wait_for_text("place", "Hamburg")
        check("the map is drawn", len(set(bob.run(
            "const c = document.getElementById('map'); return Array.from(c.getContext('2d').getImageData(0, 0, c.width, c.height).data)"
            ".filter((_, i) => i % 400 === 0)"))) > 3)
        alice.wait_for_text("journal", "delivered")
        check("the journal is verified", "Verified" in alice.text("journal-state"), alice.text("journal-state"))
        for browser in (bob, alice):
            check("axe-core, a person", (found := browser.barriers()) == [], found)
        if pictures:
            bob.picture(f"{pictures[0]}/bob.png")
            alice.picture(f"{pictures[0]}/alice.png")
        exchange(alice, bob)
        key = link(alice).split("#")[1]
        press(alice, "Revoke: link weekend")
        alice.wait_for_text("grants", "revoked")
        press(alice, "Revoke: ")
        alice.wait("no grant that holds", "return !document.querySelector(`button[aria-label^='Revoke: ']`)")
        press(bob, "Ask: Alice")
        bob.wait_for_text("requests", "refused")
        group(alice, bob)
        folder = alice.run("return location.pathname")
        orders = alice.run("return Promise.all(['{\"verb\":\"backup\"}', '{\"verb\":\"revoke\",\"who\":\"../identity\"}', 'x'].map(body => fetch('order', "
                           "{method: 'POST', body, headers: {'content-type': 'application/json'}}).then(r => r.status)))")
        check("orders that there are not", orders == [409, 409, 409], orders)
        for browser in (bob, alice):
            complaints = [c for c in browser.complaints() if "409" not in c]
            check("no complaint, such as of the policy", complaints == [], complaints)
        print(key)
        print(folder, alice.run("return document.documentElement.outerHTML"))


try:
    main()
except Failure as failure:
    sys.exit(f"{sys.argv[1]}: {failure}")
