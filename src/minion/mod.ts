// The minion: carries out what a master publishes, and the functions it does so with.
export { type MinionData, minionFunctions } from './functions.ts'
export { Minion } from './minion.ts'
