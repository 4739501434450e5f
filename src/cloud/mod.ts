// salt-cloud: the drivers of the library create and destroy machines, and minions are deployed on them; `brine
// bootstrap` uses the same deployment.
export { bootstrapForMaster } from './bootstrap/for-master.ts'
export type { BootstrapSite } from './bootstrap/host.ts'
export { bootstrapHosts, hostsOf } from './bootstrap/hosts.ts'
export { readMasterFacts } from './bootstrap/master.ts'
export { readPackage } from './bootstrap/package.ts'
export type { Cloud } from './cloud.ts'
export { type CloudOpening, openCloud } from './open.ts'
