// Names of the leases of a cluster.

/** The lease of the master that starts scheduled jobs. */
export const SCHEDULE_LEASE = 'schedule'

/** The lease of the master that reacts to events. */
export const REACTOR_LEASE = 'reactor'
