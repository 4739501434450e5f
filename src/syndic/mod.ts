// The syndic: hands the jobs of masters above to the master of this machine, and its events and returns back to them.
export { Syndic } from './syndic.ts'
export { syndicOptions } from './syndic-options.ts'
