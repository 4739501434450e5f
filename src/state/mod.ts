// The state engine: SLS files to high data to ordered low chunks, and these to results. The compiler touches no machine.

export { ClientTree } from './client-tree.ts'
export { Compiler } from './compile/compiler.ts'
export type { CompilerContext } from './compile/compiler-context.ts'
export { lowTag, splitTag, type TagParts } from './compile/low-tag.ts'
export { compileReactions } from './compile/reactions.ts'
export type { StateTree } from './compile/tree.ts'
export type { CompileError, High, HighResult, LowChunk, LowResult, Matches } from './compile/types.ts'
export { type OpenStates, type StateEngineParts, stateEngine } from './open-states.ts'
export { RootsTree } from './roots-tree.ts'
