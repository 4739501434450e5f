// Orchestration: runs of states beside the master, their record and steps, and the minion that they run on.
export { masterMinion, reaching } from './master-minion.ts'
export { Orchestration } from './orchestration.ts'
export { NotSharedError, type ShareRun } from './run-record.ts'
export { asStepJob } from './steps.ts'
