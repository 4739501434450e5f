export { masterMinion, reaching } from './master-minion.ts'
