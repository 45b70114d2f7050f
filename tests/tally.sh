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
log=Testing/Temporary/LastTest.log
mkdir -p Testing
rm -f "$log"
ctest --output-on-failure -O Testing/verdicts.txt "$@"
status=$?
touch "$log"
echo

awk -v status=$status '
    # First file: what ctest says, a line a test: 3/9 Test #3: name ....   Passed
    FNR == NR {
        if (match($0, /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /)) {
            rest = substr($0, RLENGTH + 1)
            split(rest, word, " ")
            verdict[word[1]] = rest
        }
        next
    }

    # Second file: what the tests said, between two lines that ctest adds.
    /^[0-9]+\/[0-9]+ Testing: / {
        name = $3
        passes = fails = skips = inside = 0
        planned = -1
    }
    /^Output:$/ { inside = 1 }
    { last = inside && sub(/<end of output>$/, "") } # perhaps after a line without an end
    inside && /^ok([ \t]|$)/ { /#[ \t]*(SKIP|skip)/ ? skips++ : passes++ }
    inside && /^not ok([ \t]|$)/ { blame($0) }
    inside && /^1\.\.[0-9]+/ { planned = substr($1, 4) + 0 }
    last {
        finish(passes + fails + skips, verdict[name] ~ / Passed /)
        passed += passes
        failed += fails
        skipped += skips
        inside = 0
    }

    function blame(why) {
        fails++
        print "failed: " name ": " why
    }

    function finish(cases, fine) {
        if (verdict[name] ~ /Skipped|Disabled/) {
            skips += cases == 0
            return
        }
        if (planned < 0 && cases > 0)
            blame("it ended without a plan")
        else if (planned >= 0 && planned != cases)
            blame(planned " cases were planned, " cases " came")
        else if (fine && cases == 0)
            planned < 0 ? passes++ : skips++ # no TAP, or the whole test: 1..0 # SKIP why
        if (!fine && fails == 0)
            blame("ctest says " verdict[name])
    }

    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0 || passed == 0 || status != 0
    }
' Testing/verdicts.txt "$log"
