// The authoring interface of plugins.
export { type Arg, type ArgKind, type Args, arg, type Bound } from './arg.ts'
export { bind, signatureOf } from './bind.ts'
export type { FunctionContext, Keywords, RenderRequest } from './context.ts'
export {
  defineModule,
  type FunctionDeclaration,
  fn,
  type ModuleDeclaration,
  type Result,
  type Returns,
  ret,
} from './declare.ts'
export { toValue } from './result.ts'
