// From text to data: the pipe of renderers that SLS files, pillar files and managed templates go through.
export { RenderError, type RenderErrorCode } from './errors.ts'
export { FileRoots, type FileTree, type TreeFile } from './file-roots.ts'
export { type DecryptOptions, decrypt } from './gpg.ts'
export { type JinjaOptions, type JinjaOutput, renderJinja } from './jinja.ts'
export { type Rendered, type RenderOptions, renderFile, renderText } from './pipeline.ts'
export type { RenderContext, Renderer, StageOutput } from './renderer.ts'
export { type FunctionSource, SaltFunctions } from './salt-functions.ts'
export { parsePipe, parseShebang, type Stage } from './shebang.ts'
