"""The tests; a package so that test files can share `tests.cases`."""
