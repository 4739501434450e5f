// A fleet of simulated minions in one process. They use the channels of real minions (src/wire/client): their keys,
// sign-ins, checks of publications and returns are real, and only the work of a job is simulated.
export type { AnswerShape } from './answers.ts'
export { type Faults, NO_FAULTS } from './faults.ts'
export { type FleetProgress, type FleetReport, SimulatedFleet, type SimulatedFleetOptions } from './fleet.ts'
export { grainsFrom, ownAddress } from './grains.ts'
export { type KeyPool, keyPool } from './key-pool.ts'
export { SimulatedMinion } from './simulated-minion.ts'
