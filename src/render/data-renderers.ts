// Renderers that read data from text: yaml, yamlex, json, json5 and toml. Text has no renderer of its own in Salt; ours
// hands it on.
import { decodeBytes, type Value } from '../data/mod.ts'
import { loadYamlex, renderYaml, YamlError } from '../yaml/mod.ts'
import { RenderError, renderError } from './errors.ts'
import type { RenderContext, Renderer, StageOutput } from './renderer.ts'

/** The text of a stage's input. */
export function inputText(input: Value, renderer: string): string {
  if (typeof input === 'string') return input
  if (input instanceof Uint8Array) return decodeBytes(input)
  throw renderError(`The ${renderer} renderer reads text, and the renderer before it gave data`)
}

/** Salt lets most errors of parsers out as they are; each gets its place in the file. */
function yamlError(error: YamlError, ctx: RenderContext): RenderError {
  const code = error.code === 'SaltRenderError' || error.code === 'DeserializationError' ? error.code : 'YamlError'
  const line = error.line ?? error.problemAt?.line
  return new RenderError(code, error.message, {
    cause: error,
    line: error.line,
    ...(line !== undefined && { at: { ...(ctx.path !== undefined && { file: ctx.path }), line } }),
  })
}

function reading(ctx: RenderContext, read: () => Value): StageOutput {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof YamlError) throw yamlError(error, ctx)
    throw error
  }
}

const yaml: Renderer = {
  name: 'yaml',
  render: (input, _args, ctx) =>
    reading(ctx, () => renderYaml(inputText(input, 'yaml'), { positions: ctx.positions ?? false })),
}

const yamlex: Renderer = {
  name: 'yamlex',
  render: (input, _args, ctx) => reading(ctx, () => loadYamlex(inputText(input, 'yamlex')) || new Map()),
}

/** Without the shebang line, which these languages have no comments to hide in. */
function withoutShebang(text: string): string {
  return text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1) : text
}

const text: Renderer = {
  name: 'text',
  render: (input) => ({ value: typeof input === 'string' ? withoutShebang(input) : input }),
}

export const dataRenderers: readonly Renderer[] = [yaml, yamlex, text]
