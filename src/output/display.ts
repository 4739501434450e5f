// Data to the text that is printed. An outputter that cannot show the data leaves it to nested, and nested to raw.
import { type Log, silentLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { EncodedDict, PyError, readValue, truthy, type Value } from '../data/mod.ts'
import { nested, nestedPieces } from './nested.ts'
import type { Outputter, Screen } from './outputter.ts'
import { outputters } from './outputters.ts'
import { palette } from './palette.ts'
import { quiet } from './quiet.ts'
import { colorFor, selectOutputter, type Terminal } from './select.ts'
import { rebuilt, settledData } from './settle.ts'
import { trimEnd, withoutColors } from './text.ts'
import { readTheme } from './theme.ts'

/** Settings of a display beside Salt's options. */
export interface DisplayCall extends Partial<Terminal> {
  /** Arguments for the outputter, such as `nested_indent` and `_retcode`. */
  kwargs?: ReadonlyMap<Value, Value>
  log?: Log
  /** Whether the data is not used afterwards, so that it may be changed instead of copied. */
  isLast?: boolean
}

/**
 * Return the text for the data, without the last newline; an empty text prints nothing. `out` is the outputter that the
 * function requested; the options, with Salt's names, override it.
 */
export function display(
  out: string | null,
  data: Value,
  opts: ReadonlyMap<Value, Value> = new Map(),
  call: DisplayCall = {},
): string {
  const screen = screenOf(opts, call)
  // an encoded dict makes a value for each reader
  if (data instanceof EncodedDict) return shown(out, () => data, screen) ?? ''
  return shown(out, () => (call.isLast ? settledData(data) : rebuilt(data)), screen) ?? ''
}

/**
 * Return the same text and a line end as pieces of UTF-8, for a large encoded dict that `nested` shows; undefined for all other data.
 */
export function displayPieces(
  out: string | null,
  data: Value,
  opts: ReadonlyMap<Value, Value> = new Map(),
  call: DisplayCall = {},
): readonly Uint8Array[] | undefined {
  if (!(data instanceof EncodedDict) || selectOutputter(out, opts) !== 'nested') return undefined
  return nestedPieces(data, screenOf(opts, call))
}

/** The same without colours (`string_format`). */
export function displayPlain(...call: Parameters<typeof display>): string {
  return withoutColors(display(...call))
}

/** The same as HTML that keeps spaces and lines (`html_format`). */
export function displayHtml(...call: Parameters<typeof display>): string {
  return displayPlain(...call)
    .replaceAll(' ', '&nbsp;')
    .replaceAll('\n', '<br />')
}

function screenOf(opts: ReadonlyMap<Value, Value>, call: DisplayCall): Screen {
  const { kwargs = new Map(), log = silentLog, terminal = false, windows = false } = call
  const use = colorFor(opts, { terminal, windows })
  const theme = truthy(use) ? option(opts, 'color_theme') : ''
  const screen: Screen = {
    opts,
    kwargs,
    log,
    colors: palette(use, theme ? readTheme(theme, log) : undefined),
    show: (inner, part, arguments_) => shown(inner, () => part, { ...screen, kwargs: arguments_ }),
  }
  return screen
}

function shown(out: string | null, dataOf: () => Value, screen: Screen): string | undefined {
  const names = [out, 'nested', 'raw']
  let data: Value | undefined
  for (const name of names) {
    const outputter = outputterFor(name, screen)
    // the quiet outputter prints nothing, so skip the deep copy
    if (outputter === quiet) return ''
    data ??= dataOf()
    try {
      const text = outputter(readable(data, outputter), screen)
      return text === undefined ? undefined : trimEnd(text)
    } catch (error) {
      if (name === 'raw' || !isRefusal(error)) throw error
      screen.log('debug', `The data does not suit outputter '${name}': ${error.message}`)
    }
  }
  return undefined
}

/** Only nested reads an encoded dict entry by entry. */
const readable = (data: Value, outputter: Outputter): Value =>
  data instanceof EncodedDict && outputter !== nested ? settledData(readValue(data)) : data

function outputterFor(out: string | null, { opts, log }: Screen): Outputter {
  const name = selectOutputter(out, opts)
  const outputter = outputters.get(name)
  if (outputter !== undefined) return outputter
  // old minions still ask for the grains outputter, which is long gone
  if (name !== 'grains') log('error', `Invalid outputter ${name} specified, fall back to nested`)
  return outputters.get('nested')!
}

function isRefusal(error: unknown): error is PyError {
  return error instanceof PyError && ['KeyError', 'AttributeError', 'TypeError'].includes(error.code)
}
