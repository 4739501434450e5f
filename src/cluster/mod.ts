// Several masters as one: their NATS servers, the log of jobs, returns and events, the shared keys, and leases.
export { Cluster, type LastKept, type Trouble } from './cluster.ts'
export type { ClusterRecord } from './cluster-log.ts'
export { CLUSTER_KEY } from './identity.ts'
export { isClustered } from './settings.ts'
