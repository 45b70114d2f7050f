"""Tables of results: lines of `#` with a name and a text, a line of columns, rows."""

import pathlib


class Table:
    """One file: `header`, a dict of its texts, and `rows`, a list of dicts."""

    def __init__(self, path):
        lines = pathlib.Path(path).read_text().splitlines()
        notes = [line[2:].partition(": ") for line in lines if line.startswith("# ")]
        self.header = {name: text for name, _, text in reversed(notes)}  # the first counts
        columns, *rows = [line.split("\t") for line in lines if line[:2] != "# "] or [[]]
        self.rows = [dict(zip(columns, map(value, row))) for row in rows
                     if len(row) == len(columns)]  # a run that was cut ends anywhere

    def where(self, **wanted):
        """The rows that have these values, in the file's order."""
        return [row for row in self.rows
                if all(row.get(name) == value for name, value in wanted.items())]

    def names(self, column):
        """The different values of a column, in the file's order."""
        return list(dict.fromkeys(row[column] for row in self.rows))


def value(text):
    """A number where the text is one."""
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Results:
    """The folder with the tables; one that is not there has no rows."""

    def __init__(self, folder):
        self.folder = folder
        self.tables = {path.stem: Table(path) for path in pathlib.Path(folder).glob("*.tsv")}

    def __getitem__(self, stem):
        if stem not in self.tables:
            raise SystemExit(f"There is no {self.folder}/{stem}.tsv: make reproduction, "
                             "on a machine with a GPU, measures it.")
        return self.tables[stem]


def right(rows):
    """Times of results that were found wrong are no times."""
    return [row for row in rows if row["verified"] in ("yes", "-")]


def times(table, **wanted):
    """The mean time of each contestant, as {contestant: {count: row}}."""
    found = {}
    for row in right(table.where(**wanted)):
        found.setdefault(row["contestant"], {})[row["count"]] = row
    return found
