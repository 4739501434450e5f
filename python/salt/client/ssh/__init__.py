"""Parts of Salt's own SSH client that modules import. Brine's salt-ssh copies nothing to targets and has none of them."""
