#!/usr/bin/env python3
"""Checks the Xcode project of Examples/FindFriends-iOS: its form, its paths, its targets, and the promises of docs/ios.md.

It parses the project with two independent parsers. The table "The project" of docs/ios.md lists what must be so; a row without a check here,
or a check without a row, is a failure. The self-test then breaks a copy of the project in the ways of `MUTATIONS`, at least one for each row:
the checks must name each of them.
"""

import copy
import fnmatch
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
PURPOSES = {"NSLocationWhenInUseUsageDescription", "NSLocationAlwaysAndWhenInUseUsageDescription"}
# Frequent words of each language: a text that holds more of another language's is in the wrong place.
LANGUAGES = {
    "en": {"the", "you", "your", "and", "are", "it", "is", "while", "where"},
    "de": {"die", "du", "dein", "deinen", "und", "bist", "es", "ist", "während", "wo"},
}
APP, EXTENSION, TESTS = "FindFriends", "FindFriendsLocationPush", "FindFriendsTests"
# The kind of each target, and its product.
PRODUCTS = {
    APP: ("com.apple.product-type.application", "wrapper.application", "FindFriends.app"),
    EXTENSION: ("com.apple.product-type.app-extension", "wrapper.app-extension", "FindFriendsLocationPush.appex"),
    TESTS: ("com.apple.product-type.bundle.unit-test", "wrapper.cfbundle", "FindFriendsTests.xctest"),
}
LIBRARY = "WhereaboutsSharing"


class Project:
    """The objects of a project file by their identifiers, the files beside it, and the complaints about them."""

    def __init__(self, text):
        self.tree = openstep_plist.loads(text)
        self.texts = {}
        self.complaints = []

    @property
    def objects(self):
        return self.tree["objects"]

    @property
    def root(self):
        return self.objects[self.tree["rootObject"]]

    @property
    def targets(self):
        """Returns the targets by their names."""
        return {self.objects[key]["name"]: self.objects[key] for key in self.root["targets"]}

    def expect(self, condition, complaint):
        """Notes a complaint if a condition does not hold."""
        if not condition:
            self.complaints.append(complaint)

    def read(self, path):
        """Returns the text of a file; the self-test puts other texts in its place."""
        return self.texts.get(path) or path.read_text()

    def plist(self, path):
        """Reads a property list."""
        return plistlib.loads(self.read(path).encode())

    def of(self, isa):
        """Returns the objects of a class."""
        return {key: value for key, value in self.objects.items() if value["isa"] == isa}

    def key(self, target):
        """Returns the identifier of a target."""
        return next(key for key, value in self.objects.items() if value is target)

    def phases(self, target, isa):
        """Returns the build phases of a target that have a class."""
        return [self.objects[key] for key in target["buildPhases"] if self.objects[key]["isa"] == isa]

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

    def configurations(self, owner):
        """Returns the configurations of the project or of a target by their names."""
        list = self.objects[owner["buildConfigurationList"]]["buildConfigurations"]
        return {self.objects[key]["name"]: self.objects[key] for key in list}

    def anchored(self, configuration):
        """Returns the file that a configuration is based on, relative to its synchronized group."""
        group = self.objects[configuration["baseConfigurationReferenceAnchor"]]
        return IOS / group["path"] / configuration["baseConfigurationReferenceRelativePath"]

    def lines(self, path):
        """Returns the settings of a file and of those that it includes, in order: name, conditions, value, and the file."""
        for number, line in enumerate(self.read(path).splitlines(), 1):
            line = line.split("//")[0].strip()
            if include := re.fullmatch(r'#include\??\s*"(.+)"', line):
                yield from self.lines(path.parent / include[1])
            elif setting := re.fullmatch(r"(\w+)((?:\[[^\]]*\])*)\s*=\s*(.*)", line):
                yield setting[1], setting[2], setting[3], path
            elif line:
                self.expect(False, f"{path.name}:{number}: '{line}' is no setting")

    def settings(self, owner, configuration):
        """Returns the build settings of the project or of a target on a device, as its file has them."""
        conditions = {"config": configuration, "sdk": "iphoneos26.0", "arch": "arm64"}
        found = {}
        for name, where, value, _ in self.lines(self.anchored(self.configurations(owner)[configuration])):
            pairs = [one.split("=", 1) for one in re.findall(r"[\w]+=[^\],]+", where)]
            if all(fnmatch.fnmatchcase(conditions.get(one, ""), pattern) for one, pattern in pairs):
                found[name] = value
        return found

    def resolved(self, target, configuration):
        """Returns the settings of a target with its variables replaced."""
        values = self.settings(self.root, configuration) | self.settings(target, configuration)
        values |= {"TARGET_NAME": target["name"], "DEVELOPMENT_LANGUAGE": self.root["developmentRegion"]}
        values["PRODUCT_MODULE_NAME"] = values["PRODUCT_NAME"]
        return {key: expand(value, values) for key, value in values.items()}


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


def references(value):
    """Returns the identifiers of objects in a value."""
    if isinstance(value, dict):
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)
    elif isinstance(value, str) and re.fullmatch(r"[0-9A-F]{24}", value):
        yield value


# MARK: Checks. Each returns the names of the promises that it checked.


def check_form(project):
    """Checks the form: references lead somewhere, folders exist, and the pitfalls of synchronized folders are avoided."""
    expect = project.expect
    expect(str(project.tree["objectVersion"]) == "77", "objectVersion is not 77")
    keys = set(project.objects)
    for key, value in project.objects.items():
        for one in references(value):
            expect(one in keys, f"{key} refers to {one}, which is no object")
    used = set(references(list(project.objects.values()))) | {project.tree["rootObject"]}
    expect(keys <= used, f"nothing refers to {sorted(keys - used)}")
    expect(all(not one.get("path") for one in project.of("PBXGroup").values()), "a plain group has a path")
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
        empty = [one for one in project.phases(target, "PBXResourcesBuildPhase") if not one["files"]]
        expect(len(empty) == 1, f"{name} needs one empty Resources phase, or asset catalogues are not copied")
        sources = [path for path in project.files(target) if path.suffix == ".swift"]
        expect(sources, f"{name} has no sources")
        expect(len({path.name for path in sources}) == len(sources), f"{name} has two sources of one name")
    return set()


def check_products(project):
    """Checks what each target makes, links and waits for."""
    expect = project.expect
    manifest = (ROOT / "Package.swift").read_text()
    expect(f'library("{LIBRARY.removeprefix("Whereabouts")}")' in manifest, f"Package.swift has no product {LIBRARY}")
    expect(set(project.targets) == set(PRODUCTS), f"the targets are {sorted(project.targets)}, not {sorted(PRODUCTS)}")
    waits = {APP: [EXTENSION], EXTENSION: [], TESTS: [APP]}
    for name, target in project.targets.items():
        product = project.objects[target["productReference"]]
        kind = (target.get("productType"), product["explicitFileType"], product["path"])
        expect(kind == PRODUCTS[name], f"{name}: product type, file type and product are {kind}, not {PRODUCTS[name]}")
        linked = [] if name == TESTS else [LIBRARY]
        products = target.get("packageProductDependencies", [])
        names = [project.objects[key]["productName"] for key in products]
        expect(names == linked, f"{name}: packageProductDependencies are {names}, not {linked}")
        files = [project.objects[key] for one in project.phases(target, "PBXFrameworksBuildPhase") for key in one["files"]]
        expect([one.get("productRef") for one in files] == products, f"{name}: the Frameworks phase does not link its packageProductDependencies")
        dependencies = [project.objects[key] for key in target["dependencies"]]
        for one in dependencies:
            proxy = project.objects[one["targetProxy"]]
            expect(proxy["remoteGlobalIDString"] == one["target"], f"{name}: a dependency and its proxy name two targets")
        names = [project.objects[one["target"]]["name"] for one in dependencies]
        expect(names == waits[name], f"{name}: its target dependencies are {names}, not {waits[name]}")
    return {"product types", "package"}


def check_settings(project):
    """Checks that each setting stands in one place, and those of the tests."""
    expect = project.expect
    for configuration in project.of("XCBuildConfiguration").values():
        more = sorted(configuration["buildSettings"])
        expect(not more, f"project.pbxproj sets {more}; move them to {project.anchored(configuration).name}")
    places = {}
    for owner in (project.root, *project.targets.values()):
        files = {project.anchored(one) for one in project.configurations(owner).values()}
        expect(set(project.configurations(owner)) == {"Debug", "Release"} and len(files) == 1, f"{owner['isa']}: not one file for Debug and Release")
        for path in files:
            for name, where, value, file in project.lines(path):
                places.setdefault((name, where, value), set()).add(file.name)
    for (name, where, value), files in places.items():
        expect(len(files) == 1, f"{name}{where} = {value} stands in {' and '.join(sorted(files))}; move it to a file that both include")
    tests = project.targets[TESTS]
    attributes = project.root["attributes"]["TargetAttributes"].get(project.key(tests), {})
    host = attributes.get("TestTargetID")
    expect(host == project.key(project.targets[APP]), f"{TESTS}: TestTargetID is {host}, which is not the app")
    for configuration in ("Debug", "Release"):
        settings = project.resolved(tests, configuration)
        wanted = {
            "PRODUCT_NAME": TESTS,
            "PRODUCT_BUNDLE_IDENTIFIER": f"{settings['FIND_FRIENDS_IDENTIFIER']}.Tests",
            "GENERATE_INFOPLIST_FILE": "YES",
            "TEST_HOST": "$(BUILT_PRODUCTS_DIR)/FindFriends.app/FindFriends",
            "BUNDLE_LOADER": "$(BUILT_PRODUCTS_DIR)/FindFriends.app/FindFriends",
        }
        for key, value in wanted.items():
            expect(settings.get(key) == value, f"{TESTS} {configuration}: {key} is {settings.get(key)}, not {value}")
    # `@testable import` needs it, and tests are built with Debug.
    expect(project.resolved(project.targets[APP], "Debug").get("ENABLE_TESTABILITY") == "YES", f"{APP} Debug: ENABLE_TESTABILITY is not YES")
    return {"settings", "tests"}


def check_targets(project):
    """Checks identifiers, entitlements and property lists of the app and the extension."""
    expect = project.expect
    app = project.targets[APP]
    plists = {}
    for target, suffix in ((app, ""), (project.targets[EXTENSION], ".LocationPush")):
        name = target["name"]
        for configuration, environment in (("Debug", "development"), ("Release", "production")):
            settings = project.resolved(target, configuration)
            identifier = settings["FIND_FRIENDS_IDENTIFIER"]
            expect(settings["PRODUCT_BUNDLE_IDENTIFIER"] == identifier + suffix, f"{name} has a wrong bundle identifier")
            expect(settings["IPHONEOS_DEPLOYMENT_TARGET"] == "26.0", f"{name} is not for iOS 26")
            entitlements = expanded(project.plist(IOS / settings["CODE_SIGN_ENTITLEMENTS"]), settings)
            expected = {
                "com.apple.developer.location.push": True,
                "com.apple.security.application-groups": [f"group.{identifier}"],
                "keychain-access-groups": [f"$(AppIdentifierPrefix){identifier}"],
            }
            if target is app:
                expected["aps-environment"] = environment
            expect(entitlements == expected, f"{name} {configuration}: entitlements {entitlements}, not {expected}")
            info = expanded(project.plist(IOS / settings["INFOPLIST_FILE"]), settings)
            plists[name] = info
            for key in ("FindFriendsAppGroup", "FindFriendsBundleIdentifier"):
                expect("$(" not in info[key], f"{name}: {key} is not resolved")
            expect(info["FindFriendsBundleIdentifier"] == identifier, f"{name}: FindFriendsBundleIdentifier is not the app's")
    own = {"CFBundleExecutable", "CFBundleIdentifier", "CFBundleName", "CFBundlePackageType"}
    for key in set(plists[APP]) & set(plists[EXTENSION]) - own:
        expect(plists[APP][key] == plists[EXTENSION][key], f"app and extension differ in {key}")
    extension_info = plists[EXTENSION]["NSExtension"]
    expect(extension_info["NSExtensionPointIdentifier"] == "com.apple.location.push.service", "a wrong extension point")
    principal = extension_info["NSExtensionPrincipalClass"]
    expect(principal == "FindFriendsLocationPush.LocationPushService", f"the principal class is {principal}")
    info = plists[APP]
    expect(info["UIBackgroundModes"] == ["location"], "UIBackgroundModes lacks location")
    expect("location-services" in info["UIRequiredDeviceCapabilities"], "UIRequiredDeviceCapabilities lacks location-services")
    embed = project.phases(app, "PBXCopyFilesBuildPhase")
    embedded = [project.objects[project.objects[file]["fileRef"]]["path"] for one in embed for file in one["files"]]
    expect(embedded == ["FindFriendsLocationPush.appex"] and str(embed[0]["dstSubfolderSpec"]) == "13", "the extension is not embedded")
    return {"bundle identifiers", "entitlements", "deployment target", "extension point", "background mode", "device capability", "embedding"}


def check_texts(project):
    """Checks purpose strings and privacy manifests."""
    expect = project.expect
    catalogues = {}
    for name in (APP, EXTENSION):
        target = project.targets[name]
        files = {path.name: path for path in project.files(target)}
        info = project.plist(IOS / project.resolved(target, "Release")["INFOPLIST_FILE"])
        expect("Info.plist" not in files, f"{name} copies its Info.plist as a resource")
        catalogue = json.loads(project.read(files["InfoPlist.xcstrings"]))["strings"]
        catalogues[name] = catalogue
        expect(set(catalogue) == PURPOSES, f"{name} translates {sorted(catalogue)}, not {sorted(PURPOSES)}")
        for key in PURPOSES:
            texts = {language: unit["stringUnit"]["value"] for language, unit in catalogue[key]["localizations"].items()}
            expect(set(texts) == set(LANGUAGES), f"{name}: {key} is in {sorted(texts)}, not {sorted(LANGUAGES)}")
            for language, text in texts.items():
                words = set(re.findall(r"\w+", text.lower()))
                found = max(LANGUAGES, key=lambda one: len(words & LANGUAGES[one]))
                expect(words and found == language, f"{name}: {key} has '{text}' for {language}, which reads as {found}")
            expect(info.get(key) == texts.get("en"), f"{name}: the Info.plist and the catalogue differ in {key}")
        privacy = project.plist(files["PrivacyInfo.xcprivacy"])
        collected = {one["NSPrivacyCollectedDataType"] for one in privacy["NSPrivacyCollectedDataTypes"]}
        expect(collected == {"NSPrivacyCollectedDataTypePreciseLocation"}, f"{name}: the privacy manifest collects {collected}")
        expect(privacy["NSPrivacyTracking"] is False, f"{name}: the privacy manifest tracks")
    expect(catalogues[APP] == catalogues[EXTENSION], "app and extension differ in their purpose strings")
    expect(set(LANGUAGES) <= set(project.root["knownRegions"]), "knownRegions lacks a language")
    return {"purpose strings", "privacy manifest"}


def check_sources(project):
    """Checks that the sources without views are those of Linux."""
    expect = project.expect
    shared = {"FindFriends/Friends", "FindFriends-iOS/Keychain"}
    expected = {
        APP: shared | {"FindFriends-iOS/FindFriends"},
        EXTENSION: shared | {"FindFriends/FindFriendsLocationPush"},
        TESTS: {"FindFriends/FriendsTests"},
    }
    for name, folders in expected.items():
        sources = [path for path in project.files(project.targets[name]) if path.suffix == ".swift"]
        found = {str(path.parent.relative_to(ROOT / "Examples")) for path in sources}
        expect(found == folders, f"{name} is built from {sorted(found)}, not {sorted(folders)}")
        expect(not any(path.name == "main.swift" for path in sources), f"{name} compiles main.swift, which is for Linux")
    manifest = (ROOT / "Package.swift").read_text()
    for folder in ("Friends", "FindFriendsLocationPush", "FriendsTests"):
        expect(f"path=FindFriends/{folder}" in manifest, f"Linux does not compile Examples/FindFriends/{folder}")
    keychain = project.read(IOS / "Keychain/KeychainIdentity.swift")
    expect("kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly" in keychain, "the key is not readable after the first unlock alone")
    return {"shared sources", "keychain"}


CHECKS = [check_form, check_products, check_settings, check_targets, check_texts, check_sources]


def check(project):
    """Runs all checks; returns the names of the promises that they checked."""
    checked = set()
    for one in CHECKS:
        try:
            checked |= one(project)
        except (KeyError, OSError) as error:
            project.complaints.append(f"{one.__name__}: there is no {error}")
    return checked


def promised():
    """Returns the rows of the guide's table."""
    section = GUIDE.read_text().split("\n## The project\n")[1].split("\n## ")[0]
    return {line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ") and "---" not in line} - {"what"}


# MARK: Self-test


def text(name, old, new):
    """Returns a mutation of a file beside the project."""

    def alter(project):
        path = IOS / name
        before = project.read(path)
        project.texts[path] = before.replace(old, new)
        return before != project.texts[path]

    return alter


def more(name, lines):
    """Returns a mutation that adds lines to a file."""

    def alter(project):
        project.texts[IOS / name] = project.read(IOS / name) + lines
        return True

    return alter


def member(find, key, value):
    """Returns a mutation that sets a member of an object."""

    def alter(project):
        one = find(project)
        before, one[key] = one.get(key), value
        return before != value

    return alter


def first(isa, **members):
    """Returns how to find the first object of a class with these members."""
    return lambda project: next(one for one in project.of(isa).values() if all(one.get(key) == value for key, value in members.items()))


def target(name):
    return lambda project: project.targets[name]


def phase(name, isa):
    return lambda project: project.phases(project.targets[name], isa)[0]


def german(project):
    """Puts the English purpose strings in place of the German ones, in the app and the extension."""
    for folder in (APP, EXTENSION):
        path = IOS / folder / "InfoPlist.xcstrings"
        catalogue = json.loads(project.read(path))
        for one in catalogue["strings"].values():
            one["localizations"]["de"] = one["localizations"]["en"]
        project.texts[path] = json.dumps(catalogue)
    return True


# The row of the guide (nothing: the form), the change, and the words that a complaint must have.
MUTATIONS = [
    ("", member(first("PBXFileSystemSynchronizedRootGroup", path="Keychain"), "path", "Missing"), "is no folder"),
    ("", member(first("XCBuildConfiguration"), "baseConfigurationReferenceRelativePath", "None.xcconfig"), "does not exist"),
    ("", member(lambda project: project.tree, "objectVersion", "56"), "objectVersion"),
    ("", member(first("PBXFileSystemSynchronizedBuildFileExceptionSet"), "membershipExceptions", ["gone.swift"]), "is left out"),
    ("", member(target(APP), "buildPhases", []), "empty Resources phase"),
    ("product types", member(target(EXTENSION), "productType", "com.apple.product-type.bundle"), "product type"),
    ("product types", member(target(TESTS), "productType", "com.apple.product-type.bundle.ui-testing"), "product type"),
    ("product types", member(first("PBXFileReference", path="FindFriends.app"), "explicitFileType", "wrapper.cfbundle"), "product type"),
    ("package", member(target(APP), "packageProductDependencies", []), "packageProductDependencies are []"),
    ("package", member(target(EXTENSION), "packageProductDependencies", []), "packageProductDependencies are []"),
    ("package", member(first("XCSwiftPackageProductDependency"), "productName", "WhereaboutsAPNSClient"), "packageProductDependencies are"),
    ("package", member(phase(EXTENSION, "PBXFrameworksBuildPhase"), "files", []), "does not link"),
    ("tests", text("Configurations/Tests.xcconfig", "FindFriends.app/FindFriends", "Other.app/Other"), "TEST_HOST is"),
    ("tests", text("Configurations/Tests.xcconfig", "BUNDLE_LOADER = $(TEST_HOST)", ""), "BUNDLE_LOADER is None"),
    ("tests", text("Configurations/Tests.xcconfig", ".Tests", ""), "PRODUCT_BUNDLE_IDENTIFIER is"),
    ("tests", text("Configurations/Tests.xcconfig", "GENERATE_INFOPLIST_FILE = YES", ""), "GENERATE_INFOPLIST_FILE is"),
    ("tests", text("Configurations/Project.xcconfig", "ENABLE_TESTABILITY[config=Debug] = YES", ""), "ENABLE_TESTABILITY"),
    ("tests", member(lambda project: project.root["attributes"], "TargetAttributes", {}), "TestTargetID is None"),
    ("tests", member(target(TESTS), "dependencies", []), "target dependencies are []"),
    ("settings", more("Configurations/Extension.xcconfig", "ASSETCATALOG_COMPILER_APPICON_NAME = AppIcon\n"), "stands in"),
    ("settings", member(first("XCBuildConfiguration"), "buildSettings", {"SWIFT_VERSION": "5.0"}), "project.pbxproj sets"),
    ("settings", more("Configurations/App.xcconfig", "PRODUCT_NAME: FindFriends\n"), "is no setting"),
    ("bundle identifiers", more("Configurations/App.xcconfig", "PRODUCT_BUNDLE_IDENTIFIER[sdk=iphoneos*] = com.example.Other\n"), "bundle identifier"),
    ("bundle identifiers", text("Configurations/Extension.xcconfig", ".LocationPush", ".Push"), "bundle identifier"),
    ("deployment target", text("Configurations/Project.xcconfig", "TARGET = 26.0", "TARGET = 18.0"), "is not for iOS 26"),
    ("entitlements", text("Configurations/Project.xcconfig", "[config=Release] = production", "[config=Release] = development"), "FindFriends Release: ent"),
    ("entitlements", text("FindFriendsLocationPush/FindFriendsLocationPush.entitlements", "location.push", "location"), "entitlements"),
    ("extension point", text("FindFriendsLocationPush/Info.plist", "location.push.service", "usernotifications.service"), "extension point"),
    ("extension point", text("FindFriendsLocationPush/Info.plist", ".LocationPushService", ".Service"), "principal class"),
    ("embedding", member(first("PBXCopyFilesBuildPhase"), "files", []), "not embedded"),
    ("background mode", text("FindFriends/Info.plist", "<string>location</string>", "<string>fetch</string>"), "UIBackgroundModes"),
    ("device capability", text("FindFriends/Info.plist", "<string>location-services</string>", ""), "UIRequiredDeviceCapabilities"),
    ("purpose strings", german, "for de, which reads as en"),
    ("purpose strings", text("FindFriendsLocationPush/InfoPlist.xcstrings", "Freunde, denen", "Leute, denen"), "app and extension differ in their purpose"),
    ("purpose strings", text("FindFriends/InfoPlist.xcstrings", '"de"', '"fr"'), "is in ['en', 'fr']"),
    ("privacy manifest", text("FindFriends/PrivacyInfo.xcprivacy", "<false/>", "<true/>"), "tracks"),
    ("keychain", text("Keychain/KeychainIdentity.swift", "AfterFirstUnlockThisDeviceOnly", "Always"), "first unlock"),
    ("shared sources", member(first("PBXFileSystemSynchronizedRootGroup", name="SharedLocationPush"), "exceptions", []), "main.swift"),
    ("shared sources", member(first("PBXFileSystemSynchronizedRootGroup", name="Friends"), "path", "FindFriends"), "is built from"),
]


def self_test(project, checked):
    """Breaks copies of the project: each change must be named, and there must be one for each row."""
    for number, (row, alter, words) in enumerate(MUTATIONS, 1):
        broken = copy.deepcopy(project)
        if not alter(broken):
            sys.exit(f"ios-check: change {number} of the self-test ({row or 'form'}: {words}) changes nothing")
        check(broken)
        if not any(words in one for one in broken.complaints):
            sys.exit(f"ios-check: change {number} of the self-test ({row or 'form'}) should be named as '{words}'; found are {broken.complaints}")
    untested = checked - {row for row, _, _ in MUTATIONS}
    if untested:
        sys.exit(f"ios-check: the self-test breaks nothing of {sorted(untested)}")


def main():
    """Runs all checks, and prints their complaints."""
    project = Project(PROJECT.read_text())
    # Another parser, which also writes: what it reads back is what stands in the file.
    other = XcodeProject.load(str(PROJECT))
    read = {one.get_id() for one in other.objects.get_objects_in_section(*other.objects.get_sections())}
    project.expect(read == set(project.objects), "two parsers read different objects")
    checked = check(project)
    project.expect(promised() == checked, f"docs/ios.md promises {sorted(promised())}; checked are {sorted(checked)}")
    for complaint in project.complaints:
        print(f"ios-check: {complaint}", file=sys.stderr)
    if project.complaints:
        sys.exit(1)
    self_test(project, checked)
    print(f"ios-check: the project holds what docs/ios.md says: {', '.join(sorted(checked))}; each of {len(MUTATIONS)} changes is named")


main()
