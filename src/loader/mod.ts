export { LoaderError, type LoaderErrorCode } from './errors.ts'
export { type ModuleEntry, type ModuleTable, Registry, type RegistryContext } from './registry.ts'
