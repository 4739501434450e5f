"""Starts the worker. Run as a file, so that the folder it lies in is the first on the path and nothing is inherited."""

from brine_worker.main import main

if __name__ == "__main__":
    main()
