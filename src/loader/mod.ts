export { LoaderError, type LoaderErrorCode } from './errors.ts'
export { moduleTable } from './module-table.ts'
export { type ModuleEntry, type ModuleTable, Registry, type RegistryContext } from './registry.ts'
