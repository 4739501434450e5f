// Renderers that read data from text. `text` itself is none of Salt's: it hands on what it gets.
import type { Value } from '../data/mod.ts'
import { type LoadOptions, loadYamlex, renderYaml, YamlError } from '../yaml/mod.ts'
import { RenderError } from './errors.ts'
import { inputText, withoutShebang } from './input-text.ts'
import { json, json5, toml } from './object-renderers.ts'
import type { RenderContext, Renderer, StageOutput } from './renderer.ts'

/** Salt lets most errors of parsers out as they are; each gets its place in the file. */
function yamlError(error: YamlError, ctx: RenderContext): RenderError {
  const code = error.code === 'SaltRenderError' || error.code === 'DeserializationError' ? error.code : 'YamlError'
  const line = error.line ?? error.at?.line
  return new RenderError(code, error.message, {
    reason: `Cannot load YAML: ${error.reason}`,
    hint: error.hint,
    cause: error,
    line: error.line,
    at: line === undefined ? undefined : { ...(ctx.path !== undefined && { file: ctx.path }), line },
  })
}

function reading(ctx: RenderContext, read: (options: LoadOptions) => Value): StageOutput {
  try {
    return { value: read({ positions: ctx.positions ?? false }) }
  } catch (error) {
    if (error instanceof YamlError) throw yamlError(error, ctx)
    throw error
  }
}

const yaml: Renderer = {
  name: 'yaml',
  render: (input, _args, ctx) => reading(ctx, (options) => renderYaml(inputText(input, 'yaml'), options)),
}

const yamlex: Renderer = {
  name: 'yamlex',
  render: (input, _args, ctx) =>
    reading(ctx, (options) => loadYamlex(inputText(input, 'yamlex'), options) || new Map()),
}

const text: Renderer = {
  name: 'text',
  render: (input) => ({ value: typeof input === 'string' ? withoutShebang(input) : input }),
}

export const dataRenderers: readonly Renderer[] = [yaml, yamlex, json, json5, toml, text]
