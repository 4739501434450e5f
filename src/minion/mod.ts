// The minion: carries out what a master publishes, and the functions it does so with.

export { renderConfig } from './config-renderer.ts'
export { docsFor } from './function-docs.ts'
export { type MinionData, minionFunctions } from './functions.ts'
export { MachineSession } from './machine-session.ts'
export { masterBeside } from './master-beside.ts'
export { findMaster } from './master-function.ts'
export { MasterLink, masterAddress } from './master-link.ts'
export { callOrder } from './masters.ts'
export { Minion } from './minion.ts'
export { CallFailure, type CallResult, callOnce, type OneCall, readMetadata } from './one-call.ts'
export { MinionSession } from './session.ts'
export { signInSettings } from './settings.ts'
