// A file of the state tree as data. An empty one, and one of nothing but blanks, is an empty dict.
import { renderText } from '../../render/mod.ts'
import type { CompilerContext, RenderSls } from './compiler-context.ts'

export function slsRenderer(ctx: CompilerContext): RenderSls {
  return async ({ text, file, saltenv, sls, context }) => {
    if (text.trim() === '') {
      if (text !== '') ctx.log('error', `Template is nothing but whitespace: ${file}`)
      return { value: new Map(), sourceLine: (line) => line }
    }
    return renderText(text.replace(/\r\n?/g, '\n'), {
      opts: ctx.opts,
      grains: ctx.grains,
      pillar: ctx.pillar,
      functions: ctx.functions,
      tree: ctx.tree,
      log: ctx.log,
      positions: true,
      path: file,
      saltenv,
      sls,
      ...(context && { context }),
      ...(ctx.renderers && { renderers: ctx.renderers }),
    })
  }
}
