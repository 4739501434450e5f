"""
Starts the worker. Run as a file and without `site` (-S), so that the folder it lies in is the first on the path and
nothing is read before it is needed.
"""

from brine_worker import search_path

if __name__ == "__main__":
    search_path.install()

    from brine_worker.main import main

    main()
