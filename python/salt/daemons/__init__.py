"""Parts of the daemons that runners import."""
