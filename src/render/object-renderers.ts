// json, and with libraries that are imported at first use, json5 and toml.
import { float, int, loadJson, PyError, type Value } from '../data/mod.ts'
import { RenderError, type RenderErrorCode } from './errors.ts'
import { inputText, withoutShebang } from './input-text.ts'
import type { RenderContext, Renderer } from './renderer.ts'

/** `line` counts from 1 in the text without its shebang line. */
function failed(code: RenderErrorCode, error: Error, line: number, whole: string, ctx: RenderContext): RenderError {
  const at = { ...(ctx.path !== undefined && { file: ctx.path }), line: line + (whole.startsWith('#!') ? 1 : 0) }
  const reason = `Cannot load JSON: ${error.message.replace(/: line \d+ column .*$/, '')}`
  return new RenderError(code, error.message, { reason, at, cause: error })
}

export const jsonRenderer: Renderer = {
  name: 'json',
  render: (input, _args, ctx) => {
    const whole = inputText(input, 'json')
    const text = withoutShebang(whole)
    if (text.trim() === '') return { value: new Map() }
    try {
      return { value: loadJson(text) }
    } catch (error) {
      if (!(error instanceof PyError) || error.code !== 'JSONDecodeError') throw error
      const line = Number(/: line (\d+) column/.exec(error.message)?.[1] ?? 1)
      throw failed('JSONDecodeError', error, line, whole, ctx)
    }
  },
}

export const json5: Renderer = {
  name: 'json5',
  render: async (input, _args, ctx) => {
    const whole = inputText(input, 'json5')
    const text = withoutShebang(whole)
    if (text.trim() === '') return { value: new Map() }
    const { default: JSON5 } = await import('json5')
    try {
      return { value: fromObject(JSON5.parse(text), (n) => n) }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const { lineNumber = 1 } = error as SyntaxError & { lineNumber?: number }
      throw failed('JSONDecodeError', error, lineNumber, whole, ctx)
    }
  },
}

/** Dates stay text. */
export async function loadToml(text: string): Promise<Value> {
  const { parse } = await import('smol-toml')
  return fromObject(parse(text, { integersAsBigInt: true }), float)
}

export const toml: Renderer = {
  name: 'toml',
  render: async (input, _args, ctx) => {
    const { TomlError } = await import('smol-toml')
    try {
      return { value: await loadToml(inputText(input, 'toml')) }
    } catch (error) {
      if (!(error instanceof TomlError)) throw error
      const at = { ...(ctx.path !== undefined && { file: ctx.path }), line: error.line, column: error.column }
      const reason = `Cannot load TOML: ${error.message.split('\n')[0]}`
      throw new RenderError('DeserializationError', error.message, { reason, at, cause: error })
    }
  },
}

/** JSON5 does not distinguish ints and floats, so a whole number is an int; TOML ints arrive as bigints. */
function fromObject(value: unknown, number: (n: number) => Value): Value {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return number(value)
    case 'bigint':
      return int(value)
    default:
      if (value === null || value === undefined) return null
      if (value instanceof Date) return value.toISOString()
      if (Array.isArray(value)) return value.map((item) => fromObject(item, number))
      return new Map(Object.entries(value).map(([key, item]): [Value, Value] => [key, fromObject(item, number)]))
  }
}
