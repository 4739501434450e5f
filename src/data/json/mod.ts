export { type DumpJsonOptions, dumpJson, encodeJson } from './dump.ts'
export { findJson, loadJson } from './load.ts'
