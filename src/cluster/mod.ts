// Several masters as one: NATS servers, the log of jobs, returns and events, shared keys, and leases.
export type { Claims } from './claims.ts'
export { Cluster, type LastKept, type Trouble } from './cluster.ts'
export type { ClusterRecord, LogGap } from './cluster-log.ts'
export { isClustered } from './clustered.ts'
export type { Comparable } from './comparison.ts'
export { CLUSTER_KEY } from './identity.ts'
export type { ClusterEntry } from './state.ts'
