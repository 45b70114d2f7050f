# The front door. All real work is CMake's: see CMakeLists.txt.
BUILD  = build
PREFIX = /usr/local
JOBS   = $(shell nproc)
CMAKE_FLAGS =
CTEST_FLAGS =
BENCH_FLAGS =
# For the make that CMake calls, too: it enters a folder for each of many targets.
MAKEFLAGS += --no-print-directory

all: prepare
	@cmake -S . -B $(BUILD) $(CMAKE_FLAGS) \
		$(foreach folder,MW_MODERNGPU MW_HIGHWAY MW_XSS MW_IPS4O,\
			$(if $($(folder)),-D$(folder)=$(abspath $($(folder)))))
	@cmake --build $(BUILD) -j$(JOBS)

prepare:
	@sh cmake/prepare.sh

prepare-test:
	@sh cmake/prepare.sh mpi

demo: all
	@sh examples/demo.sh $(BUILD)/cli/multiway

test: prepare-test all
	@sh tests/tally.sh $(BUILD) -j$(JOBS) $(CTEST_FLAGS)

# Our sorts beside others on the GPU; BENCH_FLAGS are the options of `multiway bench`.
bench: all
	@cmake --build $(BUILD) --target multiway-rivals -j$(JOBS)
	$(BUILD)/cli/multiway bench $(BENCH_FLAGS)

# Every experiment of docs/reproduction.md, on the GPU, with modernGPU if its folder is
# named (MW_MODERNGPU); bench/reproduce.sh says what else can be chosen.
reproduction: all
	@cmake --build $(BUILD) --target multiway-rivals -j$(JOBS)
	MULTIWAY=$(BUILD)/cli/multiway sh bench/reproduce.sh

# What of docs/reproduction.md needs no GPU: conflicts counted in the simulator, then
# the figures and the page itself, from the tables in bench/results/reproduction.
figures: all
	@sh bench/plots/draw.sh $(BUILD)

# The CPU's sort and others, which need C++ and OpenMP: the standard library's, TBB's and
# Boost's if they are installed, and those whose folders are named (MW_HIGHWAY, MW_XSS,
# MW_IPS4O).
bench-cpu: all
	@cmake --build $(BUILD) --target multiway-cpu-rivals
	$(BUILD)/cli/multiway bench --device cpu --types u32,u64,f64 --counts 2^24 --trials 5 \
		--shapes all --rivals-from $(BUILD)/bench/multiway-cpu-rivals.so $(BENCH_FLAGS)

install: all
	cmake --install $(BUILD) --prefix $(PREFIX)

# The simulator's fibres are no threads, so ThreadSanitizer sees the CPU's tests only.
sanitize:
	$(MAKE) test BUILD=build-asan CMAKE_FLAGS='-DMW_CUDA=OFF -DMW_SANITIZE=address,undefined'
	$(MAKE) test BUILD=build-tsan CMAKE_FLAGS='-DMW_CUDA=OFF -DMW_SANITIZE=thread' CTEST_FLAGS='-R cpu'

clean:
	rm -rf build build-asan build-tsan build-wheel

.PHONY: all prepare prepare-test demo test bench bench-cpu reproduction figures install sanitize clean
