"""Numbers and lists as the report writes them."""

HOLDS = "holds"
PARTLY = "holds in part"
FAILS = "does not hold here"

NAMES = {"tile": "engine `tile`", "heap": "engine `heap`", "pair": "engine `pair`",
         "cub-merge": "CUB merge", "cub-radix": "CUB radix", "thrust": "Thrust",
         "moderngpu": "modernGPU"}


def name_of(contestant):
    return NAMES.get(contestant, f"`{contestant}`")


def power(count):
    """2^20, or digits in groups."""
    if count >= 1024 and count & (count - 1) == 0:
        return f"2^{count.bit_length() - 1}"
    return f"{count:,}"


def percent(part):
    number = 100 * part
    return f"{number:.0f} %" if abs(number) >= 20 else f"{number:.1f} %"


def signed(part):
    number = 100 * part
    return f"{'+' if number >= 0 else '−'}{abs(number):.1f} %"


def listing(items):
    """a, b and c"""
    items = [str(item) for item in items] or ["nobody"]
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else items[0]


def table(head, rows):
    """Of Markdown."""
    lines = [head, ["---"] * len(head)] + rows
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def shape_text(shape):
    return {"permutation": "random order", "sorted": "sorted keys"}.get(shape, f"`{shape}`")


def gkeys(count, milliseconds):
    """Billions of keys a second."""
    return f"{1e-6 * count / milliseconds:.1f}"
