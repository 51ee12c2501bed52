# Two commands do everything on a fresh Debian or Ubuntu machine with a Swift 6.3 toolchain:
#   make demo    install what is missing, build, run a rig against the embedded stand-in
#   make test    install what is missing, check the layout of the code, run every test
.DEFAULT_GOAL := help
.PHONY: cluster-test mornings real-servers evaluation detection races chaos soak image dist dist-test help setup build release install uninstall demo test fuzz sanitize bench lint format clean

RIG ?= rigs/smoke.yaml
ROWS ?=
MINUTES ?= 30
READERS ?=
HOUSEHOLDS ?= 1000
PLANS ?= all
SECONDS ?= 1200
SANITIZERS ?= address thread
PREFIX ?= /usr/local
DESTDIR ?=

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1|\2/' | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

setup: ## install the system packages that are missing, and say which
	@sh scripts/setup.sh

build: setup ## debug build
	swift build

# With Swift's library inside: calls into it that go through no table, a seventh less time for a simulated household.
release: setup ## optimised build; the binary is .build/release/screenrig
	swift build -c release --product screenrig --static-swift-stdlib

install: release ## binary, shell completions, manual page and rigs: PREFIX=/usr/local, DESTDIR= for packagers
	@sh scripts/install.sh .build/release/screenrig "$(DESTDIR)$(PREFIX)"

uninstall: ## take away what install put there
	@sh scripts/install.sh --remove "$(DESTDIR)$(PREFIX)"

# Not optimised but for what every household works with: two thirds of the compiling, and 'make test' goes on from it.
demo: setup ## run a rig against the embedded stand-in: verdict, table, path of the report
	swift build --product screenrig
	.build/debug/screenrig run $(RIG)

test: setup lint ## every test; what failed is said again at the end
	@sh scripts/test.sh

real-servers: release ## start public OAuth servers (pip, apt), run and race them, and rewrite the tables of docs/real-servers.md: hours. HOUSEHOLDS=100 PLANS=approve-poll for less
	python3 Tests/RealServers/run.py --households $(HOUSEHOLDS) --plans $(PLANS) --write

fuzz: setup ## attack every reader of foreign input; rewrites the table in docs/trust.md. READERS="html xml" SECONDS=60 for some
	python3 scripts/fuzz.py --seconds $(SECONDS) $(READERS)

sanitize: setup ## every test under address sanitizer, then under thread sanitizer; SANITIZERS=thread for one
	@sh scripts/sanitize.sh $(SANITIZERS)

bench: release ## measure the goals against wrk, hey, h2load and ab (K6=, VEGETA= more); rewrites the table in Benchmarks/README.md. ROWS="closed tls" for some
	@sh scripts/setup.sh bench
	swift build -c release --package-path Benchmarks --product goals
	swift build -c release --package-path Benchmarks --product checker
	Benchmarks/.build/release/goals $(ROWS)

evaluation: release # what detection and races run; installed nowhere
	swift build -c release --product evaluation --static-swift-stdlib

detection: evaluation ## score the judge against the stand-in's faults; rewrites the tables in docs/detection.md
	.build/release/evaluation detection --seeds 20 --socket-seeds 3 --foreign-seeds 3 --page docs/detection.md

races: evaluation ## score the race lab against the stand-in's timing faults; rewrites the tables in docs/races.md
	.build/release/evaluation races --seeds 20 --socket-seeds 5 --page docs/races.md

image: ## build the image with buildah, also where no registry is reachable, and run it: docs/trust.md
	@sh scripts/image.sh
	@sh scripts/image-check.sh

# A build of its own: another standard library, no debug information, and no path of this machine.
DIST = .build-dist
dist: setup ## release packages for this processor under dist/: .deb, tarball, checksums; docs/ci.md
	swift build -c release --product screenrig --static-swift-stdlib --scratch-path $(DIST) -debug-info-format none \
		-Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=."
	python3 scripts/dist.py $(DIST)/release/screenrig

dist-test: ## install dist/*.deb on a bare Debian tree and run a rig there, as root; the tree is kept in .build-dist
	@sh scripts/dist-test.sh $(DIST)/tree

chaos: release ## every fault of a peer against every command that talks, about 45 min; rewrites the table in docs/trust.md
	python3 Tests/Chaos/chaos.py --page docs/trust.md

soak: release ## 1,000 requests/s while faults come and go, MINUTES=30; rewrites the table in docs/trust.md
	python3 Tests/Chaos/soak.py --minutes $(MINUTES) --page docs/trust.md

mornings: build ## nights with planted changes and deploys in virtual time: what the digest says of each, about 2 min
	python3 Tests/Mornings/mornings.py --screenrig .build/debug/screenrig --work .build/mornings

cluster-test: release ## eight shards on a Slurm of four nodes on this machine, one node killed in the middle, as root, about 6 min: docs/scale.md
	python3 Tests/Cluster/cluster.py --screenrig .build/release/screenrig --work .build/cluster --kill --install

coverage: ## write docs/coverage.md: what of the specification is run by which rig or test
	SCREENRIG_UPDATE_GOLDEN=1 swift test --filter CoverageTests

lint: ## layout of the code, strict; the scripts and style sheets that are compiled into the binary
	swift format lint --strict --parallel --recursive Package.swift Sources Tests
	@python3 scripts/lint.py

format: ## mend the layout
	swift format --in-place --parallel --recursive Package.swift Sources Tests

clean: ## forget builds; keep reports
	rm -rf .build .build-*
