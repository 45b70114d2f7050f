#!/bin/sh
# tally.sh BUILD [ctest options] - run the tests in BUILD and count their cases.
#
# A test that speaks TAP counts once per case, any other counts as one case,
# and one that ends badly, or short of its plan, counts as a failed case more.
# Ends with `N passed, N failed, N skipped` alone on a line. The exit status is
# 0 only if something passed, nothing failed and ctest agrees.
set -u

cd "$1" || exit 1
shift
verdicts=Testing/verdicts.txt
log=Testing/Temporary/LastTest.log
mkdir -p Testing
rm -f "$log"
echo "ctest status 1" >"$verdicts.status" # unless ctest comes to its end
# Only tee reads from ctest, and it holds no line back.
{
    ctest --output-on-failure "$@"
    echo "ctest status $?" >"$verdicts.status"
} 2>&1 | tee "$verdicts"
cat "$verdicts.status" >>"$verdicts"
touch "$log"
echo

awk '
    # First file: what ctest says, a line a test: 3/9 Test #3: name ....   Passed
    FNR == NR {
        if ($0 ~ /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /) {
            rest = $0
            sub(/^[^:]*: /, "", rest)
            split(rest, word, " ")
            verdict[word[1]] = rest
        } else if ($0 ~ /^ctest status/) {
            ctest_failed = $3 != 0
        }
        next
    }

    # Second file: what the tests said, between two lines that ctest adds.
    /^[0-9]+\/[0-9]+ Testing: / { begin($3); next }
    /^Output:$/ && !inside { waiting = 1; next }
    waiting { waiting = 0; inside = 1; next } # a line of dashes
    inside && /<end of output>$/ {
        sub(/<end of output>$/, "") # it may follow a last line without an end
        read_line()
        finish()
        next
    }
    inside { read_line() }

    function begin(test) {
        name = test
        passes = fails = skips = planned = 0
        plan = waiting = inside = 0
    }

    function read_line() {
        if ($0 ~ /^ok([ \t]|$)/) {
            if (toupper($0) ~ /#[ \t]*SKIP/)
                skips++
            else
                passes++
        } else if ($0 ~ /^not ok([ \t]|$)/) {
            blame($0)
        } else if ($0 ~ /^1\.\.[0-9]+/) {
            plan = 1
            planned = substr($1, 4) + 0
        }
    }

    function blame(why) {
        fails++
        print "failed: " name ": " why
    }

    function finish(cases, fine) {
        inside = 0
        cases = passes + fails + skips
        if (verdict[name] ~ /Skipped|Disabled/) {
            skips += cases == 0
        } else {
            fine = verdict[name] ~ / Passed /
            if (plan && planned != cases)
                blame(planned " cases were planned, " cases " came")
            else if (plan && planned == 0 && fine)
                skips++ # the whole test: 1..0 # SKIP why
            else if (!plan && cases > 0)
                blame("it ended without a plan")
            else if (!plan && fine)
                passes++ # it speaks no TAP
            if (!fine && fails == 0)
                blame("ctest says " substr(verdict[name], index(verdict[name], "***") + 3))
        }
        passed += passes
        failed += fails
        skipped += skips
    }

    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0 || passed == 0 || ctest_failed
    }
' "$verdicts" "$log"
