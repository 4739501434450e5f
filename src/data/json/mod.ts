export { type DumpJsonOptions, dumpJson } from './dump.ts'
export { findJson, loadJson } from './load.ts'
