// Orchestration: runs of states beside the master, their record and steps, and the minion that they run on.
export { masterMinion } from './master-minion.ts'
export { Orchestration } from './orchestration.ts'
export { reaching } from './reaching.ts'
export { NotSharedError, type ShareRun } from './run-record.ts'
export { asStepJob } from './steps.ts'
