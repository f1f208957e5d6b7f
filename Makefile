# `make help` lists what there is. The verbs share one build, for debugging with optimised cores (ADR 0123). `bench` and `attack`
# measure what ships, `packages`, `mutants` and `sanitize` have builds of their own.

# SwiftPM writes the traits of a package in the order of a Swift Set. Another order is another command line, and all is compiled again.
export SWIFT_DETERMINISTIC_HASHING = 1
# Asked when a verb needs it, after the build.
BIN = $(shell dev/bin-path)
F ?= .
NAME ?=

.PHONY: help demo smoke test check commits bench sim attack formal ios-check soak mutants sanitize swiftbuild fuzz golden conditions openapi pictures gap docs build packages format lint proto gpsd clean

help: ## List these verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Install what is needed, build, and answer one location request from end to end
	@dev/dependencies demo
	@dev/build demo
	@$(BIN)/demo

smoke: ## Run the tests of the engines and of Core Location, and answer one request: less than a minute after a build
	@dev/dependencies demo
	@dev/smoke

test: dependencies ## Build and run all that `make check` names; F=name runs the tests of that name only
	@dev/test '$(F)'

ios-check: ## Check the iOS example without Xcode: project, paths, settings, entitlements, texts, syntax (part of `make test`)
	@dev/ios-check

check: test ## The same as `make test`: format lint, build, all tests

commits: ## Check the messages of the commits since origin/main; SINCE=revision starts elsewhere
	@dev/commits $(SINCE)

bench: dependencies ## Build as it ships, and run all benchmarks but that of the build; NAME=ask runs one, NAME=build that
	@dev/build --release
	@$(shell dev/bin-path --release)/benchmarks $(NAME)

sim: ## Run the whole system in virtual time with all that goes wrong; SEEDS=2000, FIRST=1, HOURS=h instead, REPLAY=file
	@dev/build
	@$(BIN)/simulate $(if $(REPLAY),--replay '$(REPLAY)',--first $(or $(FIRST),1) $(if $(HOURS),--hours $(HOURS),--seeds $(or $(SEEDS),2000)))

attack: dependencies ## Build as it ships, and attack the programs on loopback; NAME=nul-topic runs one attack, SECONDS=60 makes each longer
	@dev/build --release
	@$(shell dev/bin-path --release)/attack $(NAME) --seconds $(or $(SECONDS),10)

formal: ## Explore small worlds of the sharing protocol and compare each result; NAME=secrecy explores one
	@dev/build formal
	@$(BIN)/formal $(NAME)

soak: dependencies ## Push for ten minutes while connections, gateway and locationd die; SECONDS=60 makes it shorter, SEED=2 another
	@dev/build soak
	@$(BIN)/soak --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1)

sanitize: ## Run the tests of CoreLocation under ThreadSanitizer, in .build/sanitize (about five minutes the first time)
	@dev/sanitize

swiftbuild: ## Build a part with Swift Build, which becomes SwiftPM's default, and run its tests (three minutes the first time)
	@dev/swiftbuild-check

mutants: ## Break the engines' rules one by one; the simulator or a test must object; F=words selects rules, JOBS=2 runs two at once
	@dev/mutants $(filter-out .,$(F))

fuzz: dependencies ## Feed every decoder broken input, and the device's machines any story; ROUNDS=1000000 or SECONDS=600 each, SEED=1, F=engine one
	@dev/fuzz '$(or $(ROUNDS),1000000)' '$(or $(SEED),1)' '$(or $(SECONDS),0)' '$(filter-out .,$(F))'

golden: dependencies ## Regenerate the receiver logs of Tests/Logs, gpsd's answers, and what we decode of both
	@dev/golden

conditions: dependencies ## Regenerate the tables and the plot of docs/conditions.md; WHEREABOUTS_CORPUS=folder of real logs
	@dev/conditions

openapi: ## Compare the OpenAPI document of the sharing server with the server; EXAMPLES=500 tries more
	@dev/build whereabouts
	@EXAMPLES=$(or $(EXAMPLES),50) dev/openapi

pictures: dependencies ## Draw the pictures of README and docs/any-device.md from the output of the real programs
	@dev/build
	@dev/record-demo
	@WHEREABOUTS_PICTURES=1 swift test --skip-build --filter theGuideHasThePictureOfAFailure

gap: dependencies ## Print what of Apple's Core Location is missing
	@dev/build
	@$(BIN)/gap

docs: dependencies ## Write the documentation of CoreLocation to .build/documentation
	@dev/build
	@$(BIN)/gap docs

build: dependencies ## Build everything
	@dev/build

packages: ## Make Debian packages and a tarball in .build/packages; CHECK=1 has lintian and systemd-analyze look at them
	@dev/packages $(if $(CHECK),--check)

format: ## Format all Swift code
	swift format --in-place --parallel --recursive Package.swift Sources Tools Tests Examples Benchmarks

lint: ## Check the format of all Swift code
	swift format lint --strict --parallel --recursive Package.swift Sources Tools Tests Examples Benchmarks

proto: ## Regenerate the Swift code of the protobuf schemas
	@dev/proto

clean: ## Remove what was built
	rm -rf .build

.PHONY: dependencies
dependencies:
	@dev/dependencies
