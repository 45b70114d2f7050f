# shellcheck shell=bash disable=SC2154 # sourced by bars.sh, which has the variables
# bars_keys.sh - the bars of bare keys on an H200:
#
#   narrow    keys of 1 and 2 bytes beside CUB's radix sort and beside a copy
#   beyond    2^32 + 12,345 i32 and 2^33 u8 beside 2^31 of them; HUGE=1 to run it

copy_ms() { # POWER: a copy of 2^POWER bytes on the device, and back over the same bytes
    python3 - "$1" <<'COPY' 2>/dev/null
import sys, torch
a = torch.zeros(1 << int(sys.argv[1]), dtype=torch.uint8, device="cuda")
b, times = torch.empty_like(a), []
for _ in range(25):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record(); b.copy_(a); end.record(); end.synchronize()
    times.append(begin.elapsed_time(end))
print(sorted(times[5:])[10])
COPY
}

# From the tables: the least rival / ours, the case, and the most ms of ours at 2^28.
narrow_figures() { # BYTES
    awk -F'\t' -v types="$1" '
        /^#/ { next }
        $1 == "type" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        (types == 1) != ($1 ~ /8$/) { next }
        { key = $1 " " $2 " " $3; ms[key, $at["contestant"]] = $at["median_ms"]
          if ($at["verified"] != "yes") wrong++ }
        $at["contestant"] == "tally" { keys[key] = $3 }
        END {
            for (key in keys) {
                n++
                ratio = ms[key, "cub-radix"] / ms[key, "tally"]
                if (least == "" || ratio < least) { least = ratio; where = key }
                if (keys[key] == 268435456 && ms[key, "tally"] > most) most = ms[key, "tally"]
            }
            printf "%d\t%d\t%.2f\t%s\t%.4f\n", n, wrong, least, where, most }' \
        "$work"/narrow-*.tsv
}

keys_narrow() {
    local bytes bar copy cases wrong least where most
    "$build/cli/multiway" bench --device cuda --with tally,cub-radix --types u8,i8,u16,i16 \
        --shapes random,sorted,equal,few:2,few:16,sawtooth:1000 \
        --counts "${COUNTS:-2^20,2^24,2^28}" --trials 20 ${RIVALS:+--rivals-from "$RIVALS"} \
        --commit "${COMMIT:-unknown}" --tsv "$work/narrow-keys.tsv" >"$work/log" 2>&1 ||
        tail -n 3 "$work/log" >&2
    for bytes in 1 2; do
        IFS=$'\t' read -r cases wrong least where most < <(narrow_figures $bytes)
        judge narrow "$bytes bytes, $cases cases, $wrong wrong, CUB radix / ours: $least at $where (2)" \
            awk -v n="$cases" -v wrong="$wrong" -v least="$least" \
            'BEGIN { exit !(n > 0 && wrong == 0 && least >= 2) }'
        copy=$(copy_ms $((27 + bytes))) bar=2
        [ $bytes = 1 ] || bar=2.5
        judge narrow "$bytes bytes, 2^28, slowest shape $most ms / a copy of ${copy:-none} ms ($bar)" \
            awk -v ms="$most" -v copy="${copy:-0}" -v bar=$bar \
            'BEGIN { exit !(ms > 0 && ms <= bar * copy) }'
    done
}

keys_beyond() {
    local type few many ratio
    for type in i32 u8; do
        few=$((1 << 31)) many=$(((1 << 32) + 12345))
        [ $type = i32 ] || many=$((1 << 33))
        "$build/cli/multiway" bench --device cuda --with auto --types $type \
            --counts $few,$many --trials 5 --tsv "$work/beyond-$type.tsv" >"$work/log" 2>&1 ||
            tail -n 3 "$work/log" >&2
        ratio=$(awk -F'\t' -v few=$few -v many=$many '
            /^#/ { next }
            $1 == "type" { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["verified"] == "yes" { each[$3] = $at["median_ms"] / $3 }
            END { if (each[few] && each[many]) printf "%.3f", each[many] / each[few] }' \
            "$work/beyond-$type.tsv")
        judge beyond "$type, $many keys, time a key / that of 2^31: ${ratio:-none} (1.1)" \
            less "${ratio:-99}" 1.1
    done
}

keys() {
    local part
    for part in narrow ${HUGE:+beyond}; do
        wanted $part || continue
        if nvidia-smi -L >/dev/null 2>&1; then
            keys_$part
        else
            tell $part "no GPU" skipped
        fi
    done
}
