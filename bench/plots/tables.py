"""Tables of results: lines of `#` with a name and a text, a line of columns, rows."""

import pathlib


class Table:
    """One file: `header`, a dict of its texts, and `rows`, a list of dicts."""

    def __init__(self, path):
        self.name = pathlib.Path(path).name
        self.header = {}
        self.rows = []
        columns = None
        for line in pathlib.Path(path).read_text().splitlines():
            if line.startswith("# "):
                name, _, text = line[2:].partition(": ")
                self.header.setdefault(name, text)
            elif columns is None:
                columns = line.split("\t")
            else:
                cells = [value(text) for text in line.split("\t")]
                if len(cells) == len(columns):  # a run that was cut ends anywhere
                    self.rows.append(dict(zip(columns, cells)))

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
        self.folder = pathlib.Path(folder)
        self.tables = {path.stem: Table(path) for path in self.folder.glob("*.tsv")}

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
