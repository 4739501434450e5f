// The state engine: SLS files to high data to ordered low chunks, and these to results. The compiler touches no machine.

export { ClientTree } from './client-tree.ts'
export { argumentPlace } from './compile/argument-places.ts'
export { Compiler } from './compile/compiler.ts'
export type { CompilerContext } from './compile/compiler-context.ts'
export { lowTag, splitTag, type TagParts } from './compile/low-tag.ts'
export { compileReactions } from './compile/reactions.ts'
export type { StateTree } from './compile/tree.ts'
export type { CompileError, High, HighResult, LowChunk, LowResult, Matches } from './compile/types.ts'
export { LocalTree } from './local-tree.ts'
export { type OpenStates, type StateEngineParts, stateEngine } from './open-states.ts'
export { Reporter } from './report/reporter.ts'
export { boundArguments, callData, slips, UnknownKeyword } from './run/call-data.ts'
