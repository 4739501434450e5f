// Functions of the master: the context of runner and wheel functions, and their calls with the events of each.
export type { BusAccess, MasterAccess, OpenedCloud, OverSsh } from './access.ts'
export {
  beginMasterFunction,
  callingContext,
  type MasterCall,
  type MasterCallResult,
  runForEntries,
  runMasterFunction,
  runnerReturn,
} from './call.ts'
export { masterContext } from './context.ts'
export { openCache } from './data-cache.ts'
export { MasterFunctions } from './functions.ts'
export { tellNotBegun } from './not-begun.ts'
export { type SocketAccess, socketAccess } from './socket-access.ts'
export { OpenedStores, type StoreParts } from './stores.ts'
