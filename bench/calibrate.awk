# calibrate.awk - hold the simulator's counts of one case against a profiler's.
#
#   awk -f calibrate.awk METRICS SIM GPU NCU
#
# METRICS has lines of a figure and a counter that measures it, the best first; SIM and
# GPU are what `calibrate` printed, NCU is what Nsight Compute wrote with --csv. Writes
# a line for each launch, figure and counter: kernel, type, input, count, launch,
# figure, counter, its rank among those of the figure, simulator, profiler, and by how
# many percent the simulator counts more. A GPU that launched something else than
# the simulator did is an error.
BEGIN {
    FS = OFS = "\t"
    GRID = 8 # columns that both print
}

function stop(words) {
    print "calibrate: " words >"/dev/stderr"
    failed = 1
    exit 1
}

# The fields of a line of CSV, with or without quotes, into cell[1], cell[2], ...
function split_csv(line, n, text) {
    n = 0
    while (line != "") {
        if (substr(line, 1, 1) == "\"") {
            match(line, /^"[^"]*"/)
            text = substr(line, 2, RLENGTH - 2)
        } else {
            match(line, /^[^,]*/)
            text = substr(line, 1, RLENGTH)
        }
        cell[++n] = text
        line = substr(line, RLENGTH + 2)
    }
    return n
}

# "(256, 1, 1)" is 256.
function first_number(text) {
    gsub(/[^0-9,]/, "", text)
    sub(/,.*/, "", text)
    return text
}

FNR == 1 {
    file++
}

file == 1 {
    if (NF >= 2) {
        figures[++metric_count] = $1
        metrics[metric_count] = $2
    }
    next
}

file == 2 && FNR == 1 {
    for (i = GRID + 1; i <= NF; i++)
        head[i] = $i
    next
}

file == 2 {
    launches++
    for (i = 1; i <= GRID; i++)
        sim_grid[$1] = sim_grid[$1] OFS $i
    kernel[$1] = $2
    what[$1] = $2 OFS $3 OFS $4 OFS $5
    blocks[$1] = $6
    threads[$1] = $7
    for (i = GRID + 1; i <= NF; i++) {
        counted[$1, head[i]] = $i
        # Without a word for loads or stores it is both of them together.
        all = head[i]
        sub(/_(load|store)/, "", all)
        counted[$1, all] += $i
    }
    counted[$1, "shared_ideal"] = \
        counted[$1, "shared_wavefronts"] - counted[$1, "shared_conflicts"]
    next
}

file == 3 && FNR > 1 {
    line = ""
    for (i = 1; i <= GRID; i++)
        line = line OFS $i
    if (line != sim_grid[$1])
        stop("launch " $1 " differs: GPU" line ", simulator" sim_grid[$1])
    gpu_launches++
    next
}

file == 4 && /^"?ID"?,/ {
    n = split_csv($0)
    for (i = 1; i <= n; i++)
        column[cell[i]] = i
    next
}

file == 4 && ("ID" in column) && /^"?[0-9]/ {
    split_csv($0)
    id = cell[column["ID"]]
    name = cell[column["Kernel Name"]]
    sub(/\(.*/, "", name)
    if (name != kernel[id])
        stop("launch " id " is " name " on the GPU, " kernel[id] " in the simulator")
    if (first_number(cell[column["Grid Size"]]) != blocks[id] ||
        first_number(cell[column["Block Size"]]) != threads[id])
        stop("launch " id " has another grid on the GPU")
    value = cell[column["Metric Value"]]
    gsub(/,/, "", value)
    measured[id, cell[column["Metric Name"]]] = value
    if (is_number(value))
        known[cell[column["Metric Name"]]] = 1
}

function is_number(text) {
    return text ~ /^[0-9][0-9.]*$/
}

function percent(sim, gpu) {
    if (sim == gpu)
        return "0.00"
    return gpu == 0 ? "-" : sprintf("%.2f", 100 * (sim - gpu) / gpu)
}

END {
    if (failed)
        exit 1
    if (launches != gpu_launches)
        stop("the simulator has " launches + 0 " launches, the GPU " gpu_launches + 0)
    for (m = 1; m <= metric_count; m++) {
        if (metrics[m] in known)
            ranks[m] = ++of_figure[figures[m]]
    }
    for (id = 0; id < launches; id++) {
        for (m = 1; m <= metric_count; m++) {
            sim = counted[id, figures[m]]
            gpu = measured[id, metrics[m]]
            if (!is_number(gpu))
                continue
            if (sim == 0 && gpu == 0)
                continue
            print what[id], id, figures[m], metrics[m], ranks[m], sim, gpu + 0, \
                percent(sim, gpu + 0)
        }
    }
}
