export { asStepJob, keptSteps } from './kept-steps.ts'
export { masterMinion, reaching } from './master-minion.ts'
