// Users' own modules: Python in one long-lived worker, TypeScript and JavaScript in this process.

export { type FamilyName, mayHaveModules } from '../python/mod.ts'
export { type UserBeacon, userBeacons } from './beacon-modules.ts'
export { type BoundPlugin, boundPlugin, mayBeOwn } from './bound-plugin.ts'
export { ownBanks } from './cache-modules.ts'
export { ownDriver } from './cloud-modules.ts'

import './fileserver-modules.ts'

export { userEngines } from './engine-modules.ts'
export { type ExecutedCall, ownExecutor } from './executors.ts'
export { reportExtensions } from './extension-report.ts'
export { fetchSdb } from './fetch-sdb.ts'
export { functionScope } from './function-modules.ts'
export { type GrainsSurroundings, userGrains } from './grains-modules.ts'
export { type MasterRegistries, refreshMasterModules } from './master-modules.ts'
export { ownMatch } from './matchers.ts'
export { type OwnNetapi, ownNetapis } from './netapi-modules.ts'
export { displayed } from './outputters.ts'
export { ownPlugin, ownReturners } from './own-plugin.ts'
export { type UserPlugin, userPlugins } from './plugins.ts'
export { thoriumStates } from './thorium-modules.ts'
export { userModules } from './user-modules.ts'
