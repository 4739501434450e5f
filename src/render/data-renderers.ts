// Renderers that parse data. `text`, which is not one of Salt's, returns its input.
import { type Dict, decodeMsgpack, encodeText, MsgpackError, type Value } from '../data/mod.ts'
import { deserializeYamlex, type LoadOptions, renderYaml, YamlError } from '../yaml/mod.ts'
import { RenderError, renderError } from './errors.ts'
import { inputText, withoutShebang } from './input-text.ts'
import { json5, jsonRenderer, toml } from './object-renderers.ts'
import type { RenderContext, Renderer, StageOutput } from './renderer.ts'

/** Add the place in the file to an error of a parser. Salt passes most of them on unchanged. */
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
    reading(ctx, (options) => deserializeYamlex(inputText(input, 'yamlex'), options) || new Map()),
}

const text: Renderer = {
  name: 'text',
  render: (input) => ({ value: typeof input === 'string' ? withoutShebang(input) : input }),
}

/** Bytes that were read as text of one character per byte, or as text of UTF-8 that happened to be some. */
function packedBytes(input: Value): Uint8Array {
  if (input instanceof Uint8Array) return input
  const body = withoutShebang(inputText(input, 'msgpack'))
  return /[^\u0000-\u00ff]/.test(body) ? encodeText(body) : new Uint8Array(Buffer.from(body, 'latin1'))
}

const msgpack: Renderer = {
  name: 'msgpack',
  render: (input) => {
    const bytes = packedBytes(input)
    if (bytes.length === 0) return { value: new Map() satisfies Dict }
    try {
      return { value: decodeMsgpack(bytes, { dialect: 'wire' }) }
    } catch (error) {
      if (error instanceof MsgpackError) throw renderError(`Cannot load msgpack: ${error.message}`, { cause: error })
      throw error
    }
  },
}

export const dataRenderers: readonly Renderer[] = [yaml, yamlex, jsonRenderer, json5, toml, msgpack, text]
