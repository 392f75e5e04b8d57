"""Turns tables that the package vega_datasets ships into .npy arrays: demo_data.py FOLDER"""

import csv
import importlib.util
import pathlib
import sys

import numpy as np

# array: table, columns (all the numeric ones where none is named), type
ARRAYS = {
    "airport-longitudes": ("airports.csv", ["longitude"], np.float32),
    "hourly-temperatures": ("sf-temps.csv", ["temp"], np.float32),
    "us-employees-in-thousands": ("us-employment.csv", None, np.uint32),
}


def table(name):
    # The tables are read as files, so that pandas need not be installed.
    package = pathlib.Path(importlib.util.find_spec("vega_datasets").origin).parent
    with open(package / "_data" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def numbers(rows, columns):
    def is_count(text):
        return text.replace(".", "", 1).isdigit()

    if columns is None:
        columns = [name for name in rows[0] if all(is_count(row[name]) for row in rows)]
    return [float(row[name]) for name in columns for row in rows]


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, (source, columns, kind) in ARRAYS.items():
        array = np.array(numbers(table(source), columns)).astype(kind)
        np.save(folder / f"{name}.npy", array)
        print(f"{name}.npy: {array.size} keys, {array.dtype}, from {source}")


main()
