# Two commands matter: `make run` shows the gallery, `make test` runs every test.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build check test viewer need-rust need-node need-browser bench benchmark robots soak fuzz compare docs pictures clean

TARGET := $(or $(CARGO_TARGET_DIR),target)
VIEWER_SOURCES := $(shell find viewer -path viewer/node_modules -prune -o -path viewer/dist -prune -o -type f -print 2>/dev/null)

help: ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: build ## Build everything and serve the gallery on 127.0.0.1:7878
	$(TARGET)/release/prall serve

build: need-rust viewer
	cargo build --release -p prall

need-rust:
	@command -v cargo >/dev/null || { echo "Prall needs Rust 1.95 or newer: install it with rustup, then try again." >&2; exit 1; }

need-node:
	@command -v npm >/dev/null || { echo "The page needs Node.js 20 or newer with npm: install it, then try again." >&2; exit 1; }
	@node -e 'process.exit(+process.versions.node.split(".")[0] >= 20 ? 0 : 1)' || { echo "The page needs Node.js 20 or newer; this is $$(node --version)." >&2; exit 1; }

viewer/node_modules/.installed: viewer/package-lock.json | need-node
	cd viewer && npm ci --no-audit --no-fund
	touch $@

viewer/dist/index.html: viewer/node_modules/.installed $(VIEWER_SOURCES)
	cd viewer && npm run --silent build
	touch $@

viewer: viewer/dist/index.html ## Build the page

need-browser:
	@scripts/need-browser

check: need-rust viewer ## Format, lints and the fast tests, without a browser: minutes on a warm tree
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace --lib
	node scripts/check-features.mjs
	cd viewer && npm run --silent check && npm test --silent

test: need-rust viewer need-browser ## Format, lints, documentation, all tests, browser tests
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	cargo test --workspace
	node scripts/check-features.mjs
	cd viewer && npm run --silent check && npm test --silent
	scripts/browser-tests

bench: need-rust ## Run the kept benchmarks
	cargo bench --workspace

benchmark: need-rust ## Run and judge every scene file of a folder: make benchmark DIR=... [OUT=FILE.md] [ONLY=GLOB]
	@test -n "$(DIR)" || { echo "Say which folder: make benchmark DIR=path/to/scenes" >&2; exit 2; }
	cargo build --release -p prall
	$(TARGET)/release/prall benchmark "$(DIR)" $(if $(OUT),--out "$(OUT)") $(if $(ONLY),--only "$(ONLY)")

robots: need-rust ## Load every robot of a folder; loaded and failed by reason: make robots DIR=... [SECONDS=S]
	@test -n "$(DIR)" || { echo "Say which folder: make robots DIR=path/to/robots" >&2; exit 2; }
	cargo build --release -p prall
	$(TARGET)/release/prall robots "$(DIR)" $(if $(SECONDS),--seconds "$(SECONDS)")

soak: need-rust ## Long randomised runs of what `make test` runs briefly
	PRALL_SOAK=10000000 cargo test --release --workspace soak -- --nocapture
	PRALL_SERVER_SOAK=$(or $(SERVER_SECONDS),600) cargo test --release -p prall --test server soak_of_a_server -- --ignored --nocapture
	cargo test --release -p prall-mechanics --test tree soak -- --ignored --nocapture
	cargo test --release -p prall-dynamics --test dynamics minute -- --ignored --nocapture
	PRALL_THROWS=$(or $(THROWS),170000) cargo test --release -p prall-dynamics --test solid throws -- --nocapture
	PRALL_THROWS=$(or $(THROWS),20000) cargo test --release -p prall-scenes --test solid_links -- --ignored --nocapture
	cargo test --release -p prall-handling --test handling ten_minutes -- --ignored --nocapture
	cargo test --release -p prall-scenes --test naive_hand -- --ignored --nocapture
	cargo test --release -p prall-bob --test soak --test beginner -- --ignored --nocapture
	scripts/fuzz $(or $(INPUTS),1000000)

fuzz: need-rust ## Coverage-guided fuzzing of every reader: make fuzz [INPUTS=1000000]
	scripts/fuzz $(or $(INPUTS),1000000)

compare: need-rust ## Prall beside its peers on the same work; writes docs/comparison.md (half an hour)
	scripts/compare

docs: need-rust ## API documentation and the book
	cargo doc --workspace --no-deps
	scripts/build-book

pictures: build need-browser ## Render a picture of every scene, of the page, and the loop of the README
	cd viewer && PRALL_BIN="$(abspath $(TARGET))/release/prall" npm run --silent pictures

clean: ## Remove everything built
	cargo clean
	rm -rf viewer/dist viewer/node_modules docs/book
