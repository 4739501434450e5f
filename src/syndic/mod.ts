// The syndic: publishes jobs of the masters above on the local master, and forwards its events and returns to them.
export { Syndic } from './syndic.ts'
export { syndicOptions } from './syndic-options.ts'
