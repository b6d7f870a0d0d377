# The short way in; CMake and Ninja do the work. Every target that builds first installs what is missing.
#
#   make BUILD=dir    another build folder        make CMAKE_FLAGS="-DCAIRN_SHARED=OFF"    options of CMakeLists.txt
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SOURCES = $(wildcard include/cairn/*.h src/*/*.[ch] src/*/*/*.[ch] cli/*.[ch] bench/*.[ch] bench/kernel/*.[ch]* bench/peers/*.[ch]* examples/*.c examples/*.cpp \
	fuzz/*.[ch] tools/*.c web/*.c test/*/*.[ch] test/*/*.cpp)
export JOBS

all: configured ## build/cairn, build/libcairn.a, build/libcairn.so
	@cmake --build "$(BUILD)" -j $(JOBS)

configured:
	@tools/setup.sh build
	@tools/moved.sh "$(BUILD)"
	@test -f "$(BUILD)/build.ninja" && test -z "$(CMAKE_FLAGS)" || \
		cmake -S . -B "$(BUILD)" -G Ninja "-DCMAKE_INSTALL_PREFIX=$(PREFIX)" $(CMAKE_FLAGS) >/dev/null

web: ## web/dist: the player, the live page with the engine as WebAssembly, the report's script
	@tools/setup.sh web
	@node web/build.mjs --build "$(BUILD)/web"

demo: ## simulate a bundled scene, record it, export it, and make a page to look at it
	@$(MAKE) --no-print-directory web || echo "demo: going on without the pages" >&2
	@$(MAKE) --no-print-directory all
	@tools/demo.sh "$(BUILD)"

test: ## every test with gcc, clang, sanitizers and WebAssembly (TESTS=regex, TREES="gcc wasm")
	@tools/setup.sh build web test
	@$(MAKE) --no-print-directory web
	@$(MAKE) --no-print-directory all
	@tools/test.sh $(TREES)

blender: configured ## build/cairn-blender.zip: the add-on for Blender, with the program in it (docs/blender.md)
	@cmake --build "$(BUILD)" -j $(JOBS) --target cairn
	@rm -rf "$(BUILD)/blender" "$(BUILD)/cairn-blender.zip"
	@mkdir -p "$(BUILD)/blender/cairn_bake"
	@cp blender/cairn_bake/*.py LICENSE "$(BUILD)/cairn" "$(BUILD)/blender/cairn_bake"
	@cd "$(BUILD)/blender" && cmake -E tar cf ../cairn-blender.zip --format=zip cairn_bake
	@echo "$(BUILD)/cairn-blender.zip"

install: all ## header, libraries, tool, man page, completions, scenes, docs (PREFIX, DESTDIR)
	@DESTDIR="$(DESTDIR)" cmake --install "$(BUILD)" --prefix "$(PREFIX)"

format: ## clang-format in place
	@tools/setup.sh lint
	@clang-format -i $(SOURCES)

lint: ## formatting, clang-tidy, cppcheck: no findings
	@tools/setup.sh build lint
	@$(MAKE) --no-print-directory all
	@clang-format --dry-run --Werror $(SOURCES)
	@tools/lint.sh "$(BUILD)"

bench: ## build and run the benches
	@tools/setup.sh build bench
	@$(MAKE) --no-print-directory all
	@cmake -S . -B "$(BUILD)" >/dev/null
	@cmake --build "$(BUILD)" --target bench

peers: ## the same scenes in Bullet, ODE and MuJoCo: writes docs/peers.md (ENGINES="path": others; SCENES="wall": these alone; BUDGET=20 s a run)
	@tools/setup.sh build bench
	@$(MAKE) --no-print-directory all
	@cmake -S . -B "$(BUILD)" >/dev/null
	@cmake --build "$(BUILD)" -j $(JOBS) --target peers
	@node tools/peers.mjs --build "$(BUILD)" $(if $(BUDGET),--seconds $(BUDGET)) $(addprefix --engine ,$(ENGINES)) $(SCENES)

oracle: ## compare the exact programs with Ipopt, where it is installed
	@pkg-config --exists ipopt 2>/dev/null || { echo "oracle: Ipopt is not installed, or pkg-config is not. On Debian 12:" \
		"apt-get install --no-install-recommends coinor-libipopt-dev pkgconf" \
		"(about 215 MB, so it is left to you)" >&2; exit 5; }
	@$(MAKE) --no-print-directory all
	@cmake -S . -B "$(BUILD)" >/dev/null
	@cmake --build "$(BUILD)" --target oracle_ipopt
	@"$(BUILD)/oracle_ipopt" $(wildcard bench/programs/*.qp)

fuzz: ## look for inputs that break the readers (SECONDS=60 each, TARGETS="scene mesh asset hull separate recording trajectory snapshot interface bvh xml")
	@tools/setup.sh build test
	@tools/fuzz.sh $(or $(SECONDS),60) $(TARGETS)

certify-all: ## run every bundled scene to its end and certify it: the tiers each needed (SCENES="wall stack", KEEP=1)
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory all
	@CAIRN="$(BUILD)/cairn" node tools/certify-all.mjs --out "$(BUILD)/certify" $(if $(KEEP),--keep) $(SCENES)

tables: ## run the scenes of the text's tables and figures and write docs/results.md (SCENES="wall stack": these anew)
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory all
	@CAIRN="$(BUILD)/cairn" node tools/tables.mjs --out "$(BUILD)/tables" $(SCENES)

picture: ## docs/images/wall.png, the picture at the top of README.md
	@tools/setup.sh render
	@$(MAKE) --no-print-directory all
	@mkdir -p docs/images
	@"$(BUILD)/cairn" run wall --frames 338 --force -q -o "$(BUILD)/picture.cairn"
	@"$(BUILD)/cairn" render "$(BUILD)/picture.cairn" -q -o docs/images/wall.png --size 1280x600 \
		--camera 10.5,-18,3.4:0.3,0,3.9:0.72 --light=-1.6,1.1,-1.3

thesis: ## run the text's own programs beside the default ones and write docs/thesis.md
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory all
	@CAIRN="$(BUILD)/cairn" node tools/thesis.mjs --out "$(BUILD)/thesis"

methods: ## every method on the same scenes: writes docs/methods (SCENES="stack wall", METHODS=oba,soft: these alone)
	@tools/setup.sh build test render bench
	@$(MAKE) --no-print-directory all
	@cmake -S . -B "$(BUILD)" >/dev/null
	@cmake --build "$(BUILD)" -j $(JOBS) --target peers
	@CAIRN="$(BUILD)/cairn" node tools/methods.mjs $(if $(METHODS),--methods $(METHODS)) $(SCENES)

validation: ## measure the scenes with known answers again and write docs/validation.md
	@tools/setup.sh build
	@$(MAKE) --no-print-directory all
	@cmake -S . -B "$(BUILD)" >/dev/null
	@cmake --build "$(BUILD)" --target validate
	@"$(BUILD)/validate" --page docs

registry: ## write the options of the registry into scenes/scene.schema.json and docs/scene-format.md
	@tools/setup.sh build
	@$(MAKE) --no-print-directory all
	@cmake -S . -B "$(BUILD)" >/dev/null
	@cmake --build "$(BUILD)" --target registry
	@"$(BUILD)/registry" .

worlds: ## random worlds, looked at from outside (COUNT=100 or SECONDS=60, SEED=1, LIMITS="--limit hang=0"; docs/worlds.md)
	@tools/setup.sh build
	@$(MAKE) --no-print-directory all
	@cmake -S . -B "$(BUILD)" >/dev/null
	@cmake --build "$(BUILD)" --target worlds
	@"$(BUILD)/worlds" $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(SECONDS),--seconds $(SECONDS)) $(LIMITS)

attack: ## whatever is thrown at the engine (SECONDS=600, SEED=1, PARTS="worlds kills"; docs/attack.md)
	@tools/setup.sh build test
	@tools/attack.sh $(or $(SECONDS),600) $(or $(SEED),1) $(PARTS)

clean: ## remove the build folder and the pages
	@rm -rf "$(BUILD)" web/dist

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1	\2/p' Makefile | expand -t 22

.PHONY: all configured web demo test install format lint bench peers oracle fuzz certify-all tables thesis methods validation worlds attack registry picture blender clean help
