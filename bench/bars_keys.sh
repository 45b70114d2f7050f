# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_keys.sh - the bars of bare keys on an H200:
#
#   narrow    keys of 1 and 2 bytes beside CUB's radix sort and beside a copy
#   beyond    2^32 + 12,345 i32 and 2^33 u8 beside 2^31 of them; needs torch
#
#   RIVALS    a rivals plugin (that of the build folder)

# Of keys of so many bytes: cases, wrong ones, the least rival / ours and where, the most ms
# of ours at 2^28, and ms of a copy.
narrow_figures() { # BYTES
    awk -F'\t' -v bytes="$1" '
        /^#/ { next }
        $1 == "type" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        (bytes == 1) != ($1 ~ /8$/) { next }
        { ms = $at["median_ms"]; large = $3 == 268435456 }
        $at["contestant"] == "copy" { if (large) copy = ms; next }
        { key = $1 " " $2 " " $3; wrong += $at["verified"] != "yes" }
        $at["contestant"] == "tally" { ours[key] = ms; if (large && ms > most) most = ms }
        $at["contestant"] == "cub-radix" { rival[key] = ms }
        END {
            for (key in ours) {
                ratio = rival[key] / ours[key]
                if (!n++ || ratio < least) { least = ratio; where = key }
            }
            printf "%d\t%d\t%.2f\t%s\t%.4f\t%.4f\n", n, wrong, least, where, most, copy }' \
        "$work/narrow.tsv"
}

keys_narrow() {
    local bytes bar cases wrong least where most copy
    "$build/cli/multiway" bench --device cuda --with tally,cub-radix --types u8,i8,u16,i16 \
        --shapes random,sorted,equal,few:2,few:16,sawtooth:1000 \
        --counts "${COUNTS:-2^20,2^24,2^28}" --trials 20 ${RIVALS:+--rivals-from "$RIVALS"} \
        --commit "${COMMIT:-unknown}" --tsv "$work/narrow.tsv" >"$work/log" 2>&1 ||
        tail -n 3 "$work/log" >&2
    for bytes in 1 2; do
        IFS=$'\t' read -r cases wrong least where most copy < <(narrow_figures $bytes)
        judge narrow "$bytes B, $cases cases, $wrong wrong, CUB radix / ours: $least at $where (2)" \
            awk -v n="$cases" -v wrong="$wrong" -v least="$least" \
            'BEGIN { exit !(n > 0 && wrong == 0 && least >= 2) }'
        bar=2 && [ $bytes = 1 ] || bar=2.5
        judge narrow "$bytes B, 2^28, slowest: $most ms, a copy: $copy ms ($bar times)" \
            awk -v ms="$most" -v copy="$copy" -v bar=$bar \
            'BEGIN { exit !(ms > 0 && ms <= bar * copy) }'
    done
}

keys_beyond() {
    local type many ratio right
    for type in i32 u8; do
        many=$(((1 << 32) + 12345)) && [ $type = i32 ] || many=$((1 << 33))
        MULTIWAY_LIBRARY=$build/src/libmultiway.so PYTHONPATH=$tree/python \
            python3 bench/torch_beyond.py $type $((1 << 31)) $many >"$work/beyond-$type.tsv" \
            2>"$work/complaints" || tail -n 3 "$work/complaints" >&2
        IFS=$'\t' read -r ratio right < <(awk -F'\t' '{ each[NR] = $4; right += $5 == "yes" }
            END { printf "%.3f\t%d\n", each[1] ? each[2] / each[1] : 99, right }' \
            "$work/beyond-$type.tsv")
        judge beyond "$type, $many keys, time a key / that of 2^31: $ratio (1.1), $right right" \
            awk -v ratio="$ratio" -v right="$right" \
            'BEGIN { exit !(right == 2 && ratio <= 1.1) }'
    done
}

keys() {
    local part
    for part in narrow beyond; do
        wanted $part || continue
        if ! nvidia-smi -L >/dev/null 2>&1; then
            tell $part "no GPU" skipped
        elif [ $part = beyond ] && ! python3 -c 'import torch' 2>/dev/null; then
            tell $part "no torch" skipped
        else
            keys_$part
        fi
    done
}
