"""Replaces the installed packages by those in ROBOTS_SCAN_PACKAGES, a folder of links to some of them, for environments.py.

Python imports this module when it starts, also in child processes, if its folder is in PYTHONPATH. Packages without a link cannot be
imported, nor found by `importlib`, and mypy does not see them.
"""

import os
import site
import sys

installed = site.getsitepackages()
packages = os.environ["ROBOTS_SCAN_PACKAGES"]
sys.path[:] = [path for path in sys.path if path not in installed] + [packages]
# mypy asks for these folders, too.
site.getsitepackages = lambda prefixes=None: [packages]
