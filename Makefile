# SPDX-License-Identifier: Apache-2.0
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help deps build release test demo check format api-check deploy-check deb bench bench-floor bench-hang bench-growth soak guard clean

help: ## List these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

deps: ## Install the Debian packages that are missing
	@scripts/dependencies

build: deps ## Build for development, into .build/debug
	swift build

release: deps ## Build the product, .build/release/fanlight
	swift build -c release

test: ## Check the format and the sources, build, compare what an upload costs, run every test
	@scripts/dependencies python3 valgrind
	@scripts/check

demo: ## POST one picture to four services on this machine (PHOTO=my.jpg: your own)
	@scripts/dependencies curl
	swift build -c release
	@scripts/demo

check: ## The same checks as `test`, without installing anything
	@scripts/check

format: ## Format the sources in place
	swift format --in-place --recursive Sources Tests Package.swift

api-check: deps ## Hold a live gateway to its OpenAPI document (schemathesis, from PyPI)
	swift build --product fanlight
	@scripts/api-check

deploy-check: ## Check the Dockerfile, manifests, units and scripts with the tools of each format (from PyPI)
	@scripts/deploy-check

deb: deps ## Pack the product as a Debian package, into deb/
	swift build -c release -Xswiftc -static-stdlib
	@scripts/deb

bench: deps ## Measure the gateway: CPU, throughput, latency and memory by lane and number of services
	swift build -c release -Xswiftc -static-stdlib
	@bench/run.py

bench-floor: deps ## Measure beside the C reference and the Python baseline, and hold the ratios against their limits
	swift build -c release -Xswiftc -static-stdlib
	@bench/floor.py

bench-hang: deps ## Measure what one hanging service costs the others
	swift build -c release -Xswiftc -static-stdlib
	@bench/hang.py

bench-growth: deps ## Measure how an upload's cost grows with services, uploads in flight, bytes and configured services
	swift build -c release -Xswiftc -static-stdlib
	@bench/growth.py

soak: deps ## Load the gateway for an hour (MINUTES=5: less) amid random faults, and judge whether it stays as it was
	swift build -c release -Xswiftc -static-stdlib
	@bench/soak.py $(MINUTES)

guard: ## Count an upload's instructions by lane and compare them with bench/guard.json
	@scripts/dependencies python3 valgrind
	@bench/guard.py

clean: ## Remove what was built
	rm -rf .build
