// Names of the leases of a cluster, apart from the cluster, because a master alone does not load that.

/** The lease of the master that starts scheduled jobs. */
export const SCHEDULE_LEASE = 'schedule'
