// The master: answers minions and local programs, publishes jobs, keeps what comes back.
export type { ClearCommands } from './clear-commands.ts'
export type { CommandMeter } from './command-meter.ts'
export { Master } from './master.ts'
export type { OwnAccess } from './own-access.ts'
export { servePillars } from './pillar-process.ts'
export { serveTargets } from './target-process.ts'
export { masterTops } from './tops.ts'
