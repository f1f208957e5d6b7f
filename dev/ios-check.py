#!/usr/bin/env python3
"""Checks the Xcode project of Examples/FindFriends-iOS: its form, its paths, its targets, and the promises of docs/ios.md.

It parses the project with two independent parsers. The table "The project" of docs/ios.md lists what must be so; a row without a check here,
or a check without a row, is a failure.
"""

import json
import pathlib
import plistlib
import re
import sys

import openstep_plist
from pbxproj import XcodeProject

ROOT = pathlib.Path(__file__).resolve().parent.parent
IOS = ROOT / "Examples/FindFriends-iOS"
PROJECT = IOS / "FindFriends.xcodeproj/project.pbxproj"
GUIDE = ROOT / "docs/ios.md"
LANGUAGES = {"en", "de"}
PURPOSES = {"NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription"}

complaints = []


def expect(condition, complaint):
    """Notes a complaint if a condition does not hold."""
    if not condition:
        complaints.append(complaint)


class Project:
    """The objects of a project file, by their identifiers."""

    def __init__(self, text):
        self.tree = openstep_plist.loads(text)
        self.objects = self.tree["objects"]
        self.root = self.objects[self.tree["rootObject"]]
        targets = [self.objects[key] for key in self.root["targets"]]
        self.targets = {target["name"]: target for target in targets}

    def of(self, isa):
        """Returns the objects of a class."""
        return {key: value for key, value in self.objects.items() if value["isa"] == isa}

    def groups(self, target):
        """Returns the synchronized groups of a target."""
        return {key: self.objects[key] for key in target["fileSystemSynchronizedGroups"]}

    def exceptions(self, group, target):
        """Returns the files of a synchronized group that a target leaves out."""
        sets = [self.objects[key] for key in group.get("exceptions", [])]
        names = [one["membershipExceptions"] for one in sets if self.objects[one["target"]] is target]
        return {name for list in names for name in list}

    def files(self, target):
        """Returns the files that a target builds or copies."""
        found = []
        for group in self.groups(target).values():
            folder = (IOS / group["path"]).resolve()
            left_out = self.exceptions(group, target)
            files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
            found += [path for path in files if str(path.relative_to(folder)) not in left_out]
        return found

    def settings(self, owner, configuration):
        """Returns the build settings of the project or of a target: those of its file, and above them its own."""
        for key in self.objects[owner["buildConfigurationList"]]["buildConfigurations"]:
            one = self.objects[key]
            if one["name"] == configuration:
                return xcconfig(self.anchored(one)) | dict(one["buildSettings"])
        return {}

    def anchored(self, configuration):
        """Returns the file that a configuration is based on, relative to its synchronized group."""
        group = self.objects[configuration["baseConfigurationReferenceAnchor"]]
        return IOS / group["path"] / configuration["baseConfigurationReferenceRelativePath"]

    def resolved(self, target, configuration):
        """Returns the settings of a target with its variables replaced."""
        values = self.settings(self.root, configuration) | self.settings(target, configuration)
        values |= {"DEVELOPMENT_LANGUAGE": self.root["developmentRegion"], "PRODUCT_MODULE_NAME": values["PRODUCT_NAME"]}
        return {key: expand(value, values) for key, value in values.items()}


def xcconfig(path):
    """Reads a file of build settings."""
    lines = [line.split("//")[0].strip() for line in path.read_text().splitlines()]
    pairs = [line.partition("=") for line in lines if line]
    return {key.strip(): value.strip() for key, _, value in pairs}


def expand(value, settings):
    """Replaces the variables in a value, also those in their values; unknown ones stay."""
    for _ in range(8):
        value = re.sub(r"\$\((\w+)\)", lambda match: settings.get(match[1], match[0]), value)
    return value


def expanded(value, settings):
    """Replaces the variables in all strings of a property list."""
    if isinstance(value, str):
        return expand(value, settings)
    if isinstance(value, list):
        return [expanded(one, settings) for one in value]
    if isinstance(value, dict):
        return {key: expanded(one, settings) for key, one in value.items()}
    return value


def plist(path):
    """Reads a property list."""
    with path.open("rb") as file:
        return plistlib.load(file)


def check_form(project):
    """Checks the form: references lead somewhere, folders exist, and the pitfalls of synchronized folders are avoided."""
    expect(project.tree["objectVersion"] == "77" or project.tree["objectVersion"] == 77, "objectVersion is not 77")
    keys = set(project.objects)

    def references(value):
        if isinstance(value, dict):
            for one in value.values():
                yield from references(one)
        elif isinstance(value, list):
            for one in value:
                yield from references(one)
        elif isinstance(value, str) and re.fullmatch(r"[0-9A-F]{24}", value):
            yield value

    for key, value in project.objects.items():
        for one in references(value):
            expect(one in keys, f"{key} refers to {one}, which is no object")
    used = set(references(list(project.objects.values()))) | {project.tree["rootObject"]}
    expect(keys <= used, f"nothing refers to {sorted(keys - used)}")
    expect(not project.of("PBXGroup") or all(not one.get("path") for one in project.of("PBXGroup").values()), "a plain group has a path")
    for group in project.of("PBXFileSystemSynchronizedRootGroup").values():
        folder = IOS / group["path"]
        expect(folder.is_dir(), f"{folder} is no folder")
        for key in group.get("exceptions", []):
            for name in project.objects[key]["membershipExceptions"]:
                expect((folder / name).is_file(), f"{folder / name} is left out, and does not exist; a folder needs explicitFolders")
    for configuration in project.of("XCBuildConfiguration").values():
        expect("baseConfigurationReference" not in configuration, "a configuration names its file without an anchor")
        expect(project.anchored(configuration).is_file(), f"{project.anchored(configuration)} does not exist")
    package = next(iter(project.of("XCLocalSwiftPackageReference").values()))
    expect((IOS / package["relativePath"] / "Package.swift").is_file(), "the reference to the package leads nowhere")
    for name, target in project.targets.items():
        phases = [project.objects[key] for key in target["buildPhases"]]
        empty = [one for one in phases if one["isa"] == "PBXResourcesBuildPhase" and not one["files"]]
        expect(len(empty) == 1, f"{name} needs one empty Resources phase, or asset catalogues are not copied")
        sources = [path for path in project.files(target) if path.suffix == ".swift"]
        expect(sources, f"{name} has no sources")
        expect(len({path.name for path in sources}) == len(sources), f"{name} has two sources of one name")


def check_targets(project):
    """Checks each target against the promises of the guide; returns the names of the promises that it checked."""
    app, extension = project.targets["FindFriends"], project.targets["FindFriendsLocationPush"]
    plists = {}
    for target, suffix in ((app, ""), (extension, ".LocationPush")):
        name = target["name"]
        for configuration, environment in (("Debug", "development"), ("Release", "production")):
            settings = project.resolved(target, configuration)
            identifier = settings["FIND_FRIENDS_IDENTIFIER"]
            expect(settings["PRODUCT_BUNDLE_IDENTIFIER"] == identifier + suffix, f"{name} has a wrong bundle identifier")
            expect(settings["IPHONEOS_DEPLOYMENT_TARGET"] == "26.0", f"{name} is not for iOS 26")
            entitlements = expanded(plist(IOS / settings["CODE_SIGN_ENTITLEMENTS"]), settings)
            expected = {
                "com.apple.developer.location.push": True,
                "com.apple.security.application-groups": [f"group.{identifier}"],
                "keychain-access-groups": [f"$(AppIdentifierPrefix){identifier}"],
            }
            if target is app:
                expected["aps-environment"] = environment
            expect(entitlements == expected, f"{name} {configuration}: entitlements {entitlements}, not {expected}")
            info = expanded(plist(IOS / settings["INFOPLIST_FILE"]), settings)
            plists[name] = info
            for key in ("FindFriendsAppGroup", "FindFriendsBundleIdentifier"):
                expect("$(" not in info[key], f"{name}: {key} is not resolved")
            expect(info["FindFriendsBundleIdentifier"] == identifier, f"{name}: FindFriendsBundleIdentifier is not the app's")
    shared = set(plists["FindFriends"]) & set(plists["FindFriendsLocationPush"]) - {
        "CFBundleExecutable",
        "CFBundleIdentifier",
        "CFBundleName",
        "CFBundlePackageType",
    }
    for key in shared:
        expect(plists["FindFriends"][key] == plists["FindFriendsLocationPush"][key], f"app and extension differ in {key}")
    extension_info = plists["FindFriendsLocationPush"]["NSExtension"]
    expect(extension_info["NSExtensionPointIdentifier"] == "com.apple.location.push.service", "a wrong extension point")
    principal = extension_info["NSExtensionPrincipalClass"]
    expect(principal == "FindFriendsLocationPush.LocationPushService", f"the principal class is {principal}")
    info = plists["FindFriends"]
    expect(info["UIBackgroundModes"] == ["location"], "UIBackgroundModes lacks location")
    expect("location-services" in info["UIRequiredDeviceCapabilities"], "UIRequiredDeviceCapabilities lacks location-services")
    embed = [project.objects[key] for key in app["buildPhases"] if project.objects[key]["isa"] == "PBXCopyFilesBuildPhase"]
    embedded = [project.objects[project.objects[file]["fileRef"]]["path"] for one in embed for file in one["files"]]
    expect(embedded == ["FindFriendsLocationPush.appex"] and str(embed[0]["dstSubfolderSpec"]) == "13", "the extension is not embedded")
    return {"bundle identifiers", "entitlements", "deployment target", "extension point", "background mode", "device capability", "embedding"}


def check_texts(project):
    """Checks purpose strings and privacy manifests; returns the names of the promises that it checked."""
    for name in ("FindFriends", "FindFriendsLocationPush"):
        target = project.targets[name]
        files = {path.name: path for path in project.files(target)}
        info = plist(IOS / project.resolved(target, "Release")["INFOPLIST_FILE"])
        expect("Info.plist" not in files, f"{name} copies its Info.plist as a resource")
        catalogue = json.loads(files["InfoPlist.xcstrings"].read_text())["strings"]
        expect(set(catalogue) == PURPOSES, f"{name} translates {sorted(catalogue)}, not {sorted(PURPOSES)}")
        for key in PURPOSES:
            texts = {language: unit["stringUnit"]["value"] for language, unit in catalogue[key]["localizations"].items()}
            expect(set(texts) == LANGUAGES and all(texts.values()), f"{name}: {key} is in {sorted(texts)}, not {sorted(LANGUAGES)}")
            expect(info.get(key) == texts.get("en"), f"{name}: the Info.plist and the catalogue differ in {key}")
        privacy = plist(files["PrivacyInfo.xcprivacy"])
        collected = {one["NSPrivacyCollectedDataType"] for one in privacy["NSPrivacyCollectedDataTypes"]}
        expect(collected == {"NSPrivacyCollectedDataTypePreciseLocation"}, f"{name}: the privacy manifest collects {collected}")
        expect(privacy["NSPrivacyTracking"] is False, f"{name}: the privacy manifest tracks")
    expect(LANGUAGES <= set(project.root["knownRegions"]), "knownRegions lacks a language")
    return {"purpose strings", "privacy manifest"}


def check_sources(project):
    """Checks that the sources without views are those of Linux; returns the names of the promises that it checked."""
    for name in ("FindFriends", "FindFriendsLocationPush"):
        target = project.targets[name]
        sources = [path for path in project.files(target) if path.suffix == ".swift"]
        folders = {str(path.parent.relative_to(ROOT / "Examples")) for path in sources}
        own = {f"FindFriends-iOS/{name}"} if name == "FindFriends" else {"FindFriends/FindFriendsLocationPush"}
        expected = own | {"FindFriends/Friends", "FindFriends-iOS/Keychain"}
        expect(folders == expected, f"{name} is built from {sorted(folders)}, not {sorted(expected)}")
        expect(not any(path.name == "main.swift" for path in sources), f"{name} compiles main.swift, which is for Linux")
    manifest = (ROOT / "Package.swift").read_text()
    for folder in ("Friends", "FindFriendsLocationPush", "FriendsTests"):
        expect(f"path=FindFriends/{folder}" in manifest, f"Linux does not compile Examples/FindFriends/{folder}")
    keychain = (IOS / "Keychain/KeychainIdentity.swift").read_text()
    expect("kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly" in keychain, "the key is not readable after the first unlock alone")
    return {"shared sources", "keychain"}


def check_guide(checked):
    """Checks that the guide promises what was checked, and nothing more."""
    section = GUIDE.read_text().split("\n## The project\n")[1].split("\n## ")[0]
    rows = {line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ") and "---" not in line} - {"what"}
    expect(rows == checked, f"docs/ios.md promises {sorted(rows)}; checked are {sorted(checked)}")


def self_test(text):
    """Breaks the project in the ways that the checks are for: each must be found."""
    before = len(complaints)
    for old, new in (
        ("path = Keychain;", "path = Missing;"),
        ("main.swift,", "gone.swift,"),
        ("baseConfigurationReferenceRelativePath = App.xcconfig", "baseConfigurationReferenceRelativePath = None.xcconfig"),
        ("objectVersion = 77", "objectVersion = 56"),
    ):
        broken = text.replace(old, new)
        count = len(complaints)
        if broken != text:
            check_form(Project(broken))
        if len(complaints) == count:
            sys.exit(f"ios-check: does not see that {old} became {new}")
    del complaints[before:]


def main():
    """Runs all checks, and prints their complaints."""
    text = PROJECT.read_text()
    project = Project(text)
    # Another parser, which also writes: what it reads back is what stands in the file.
    other = XcodeProject.load(str(PROJECT))
    expect({one.get_id() for one in other.objects.get_objects_in_section(*other.objects.get_sections())} == set(project.objects), "two parsers read different objects")
    self_test(text)
    check_form(project)
    checked = check_targets(project) | check_texts(project) | check_sources(project)
    check_guide(checked)
    for complaint in complaints:
        print(f"ios-check: {complaint}", file=sys.stderr)
    if complaints:
        sys.exit(1)
    print(f"ios-check: the project holds what docs/ios.md says: {', '.join(sorted(checked))}")


main()
