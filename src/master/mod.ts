// The master: answers minions and local programs, publishes jobs, keeps what comes back.
export { Master } from './master.ts'
export { servePillars } from './pillar-process.ts'
export { serveTargets } from './target-process.ts'
