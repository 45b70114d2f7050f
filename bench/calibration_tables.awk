# calibration_tables.awk - a calibration (calibrate.sh) as the tables of docs/simulator.md.
#
#   awk -f bench/calibration_tables.awk bench/results/DATE-MACHINE-calibration.tsv
#
# Three tables: the launches of 2^20 random keys, the largest differences of all sorts,
# and the micro-kernels. Loads and stores are added up, and so are the launches of a
# kernel in one sort where figures, not differences, are shown.
BEGIN {
    FS = "\t"
}

/^#/ || $1 == "kernel" {
    next
}

function size(x) {
    return x < 0 ? -x : x
}

# 1234567 is 1,234,567.
function commas(n, text) {
    for (text = ""; n >= 1000; n = int(n / 1000))
        text = sprintf(",%03d", n % 1000) text
    return n text
}

function percent(sim, gpu) {
    return gpu == 0 ? 0 : 100 * (sim - gpu) / gpu
}

# The figure without its load or store.
{
    what = $6
    sub(/_(load|store)/, "", what)
}

# ---- Micro-kernels: each figure of each launch by itself.
$1 ~ /_(load|store)$/ {
    if (what ~ /by_instruction/)
        next
    row = "`" $1 "` | " ($3 ~ /warps/ ? "eight" : "one")
    if (!(row in micro_seen)) {
        micro_seen[row] = 1
        micro[++micros] = row
        off[row] = 0 # gawk 5.2.1 frees twice what a function was handed without a value
    }
    figures[row, $2]++
    same[row, $2] += $7 == $8
    if (size($9) > size(off[row]))
        off[row] = $9
    next
}

# ---- Sorts: loads and stores of a launch together.
{
    if (!($1 in kernel_seen)) {
        kernel_seen[$1] = 1
        kernel[++kernels] = $1
    }
    launch = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4 SUBSEP $5
    if (!(launch in launch_seen)) {
        launch_seen[launch] = 1
        launch_of[++launches] = launch
        kernel_launches[$1]++
    }
    sim[launch, what] += $7
    gpu[launch, what] += $8
    if ($3 == "random" && $4 == 1048576) {
        if (!(($1, $2) in big_seen)) {
            big_seen[$1, $2] = 1
            big[++bigs] = $1 "\t" $2
        }
        big_sim[$1, $2, what] += $7
        big_gpu[$1, $2, what] += $8
    }
}

function pair(kernel, type, what) {
    if (!((kernel, type, what) in big_sim) && what ~ /shared/)
        return kernel ~ /_cut$/ ? " | " : "0 | 0"
    return commas(big_sim[kernel, type, what] + 0) " | " commas(big_gpu[kernel, type, what] + 0)
}

# The largest difference of a kernel's launches, or that there is none.
function worst(kernel, what, i, part, most, d) {
    most = 0
    for (i = 1; i <= launches; i++) {
        split(launch_of[i], part, SUBSEP)
        if (part[1] != kernel)
            continue
        d = percent(sim[launch_of[i], what] + 0, gpu[launch_of[i], what] + 0)
        if (size(d) > size(most))
            most = d
    }
    return most == 0 ? "none" : sprintf("%.3f %%", most)
}

END {
    print "| kernel | keys | wavefronts | Nsight Compute | conflicts | Nsight Compute | sectors | Nsight Compute |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= bigs; i++) {
        split(big[i], part, "\t")
        print "| `" part[1] "` | " part[2] " | " pair(part[1], part[2], "shared_wavefronts") " | " \
            pair(part[1], part[2], "shared_conflicts") " | " \
            pair(part[1], part[2], "global_sectors") " |"
    }
    print ""
    print "| kernel | launches | wavefronts | by instruction | shared requests | sectors | global requests |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= kernels; i++) {
        shared = kernel[i] ~ /_cut$/ ? " |  | " : worst(kernel[i], "shared_wavefronts") " | " \
            worst(kernel[i], "shared_wavefronts_by_instruction") " | " \
            worst(kernel[i], "shared_requests")
        print "| `" kernel[i] "` | " kernel_launches[kernel[i]] " | " shared " | " \
            worst(kernel[i], "global_sectors") " | " worst(kernel[i], "global_requests") " |"
    }
    print ""
    count = split("1 byte,2 bytes,4 bytes,8 bytes,16 bytes", sizes, ",")
    print "| kernel | warps | 1 byte | 2 bytes | 4 bytes | 8 bytes | 16 bytes | largest difference |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= micros; i++) {
        line = "| " micro[i]
        for (j = 1; j <= count; j++)
            line = line " | " same[micro[i], sizes[j]] + 0 " of " figures[micro[i], sizes[j]] + 0
        print line " | " (off[micro[i]] ? off[micro[i]] " %" : "none") " |"
    }
}
