// Users' Python in one long-lived process beside this one: calls both ways, values that keep their types, errors with
// their traces. The other side is in python/ at the root of the project.
export { type AnswerFamily, answersOf, type Families, type FoundFunction, type PythonSource } from './answers.ts'
export { PythonFailure, WorkerError, type WorkerErrorCode } from './errors.ts'
export { type Extension, installationOf, installedExtensions } from './extensions.ts'
export { type FamilyName, filesIn as modulesInFolder, type ModuleFile, moduleFiles, moduleFolders } from './folders.ts'
export { interpreter, isProgram, workerEnvironment, workerFile } from './interpreter.ts'
export { importModule, type MissingImport, type ScannedModule, scanModules } from './module-scan.ts'
export { type ModuleText, moduleText, readModule } from './module-text.ts'
export { callNative, callNativeBy } from './native-files.ts'
export { type Asker, callPython, type PythonCall, pythonProcess, type Scope, type ScopeFunction } from './scope.ts'
export { serveFrames } from './serve.ts'
export type { PythonInstallation } from './site-folders.ts'
export { mayHaveModules, upstreamFiles } from './upstream-files.ts'
