// Data to the text that is printed. An outputter that cannot show the data leaves it to nested, and nested to raw.
import { type Log, silentLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, PyError, Tuple, truthy, type Value } from '../data/mod.ts'
import type { Outputter, Screen } from './outputter.ts'
import { outputters } from './outputters.ts'
import { palette } from './palette.ts'
import { quiet } from './quiet.ts'
import { colorFor, selectOutputter, type Terminal } from './select.ts'
import { trimEnd, withoutColors } from './text.ts'
import { readTheme } from './theme.ts'

/** What a display may be told beside Salt's options. */
export interface DisplayCall extends Partial<Terminal> {
  /** Arguments for the outputter, such as `nested_indent` and `_retcode`. */
  kwargs?: ReadonlyMap<Value, Value>
  log?: Log
  /** Nobody needs the data afterwards: what would be copied may be changed. */
  isLast?: boolean
}

/**
 * What is printed for the data, without the last newline; an empty text prints nothing. `out` is the outputter that the
 * function asked for; the options, by Salt's names, may ask for another one.
 */
export function display(
  out: string | null,
  data: Value,
  opts: ReadonlyMap<Value, Value> = new Map(),
  call: DisplayCall = {},
): string {
  const { kwargs = new Map(), log = silentLog, terminal = false, windows = false, isLast = false } = call
  const use = colorFor(opts, { terminal, windows })
  const theme = truthy(use) ? option(opts, 'color_theme') : ''
  const screen: Screen = {
    opts,
    kwargs,
    log,
    colors: palette(use, theme ? readTheme(theme, log) : undefined),
    show: (inner, part, arguments_) => shown(inner, () => part, { ...screen, kwargs: arguments_ }),
  }
  return shown(out, () => (isLast ? settled(data) : rebuilt(data)), screen) ?? ''
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

function shown(out: string | null, dataOf: () => Value, screen: Screen): string | undefined {
  const names = [out, 'nested', 'raw']
  let data: Value | undefined
  for (const name of names) {
    const outputter = outputterFor(name, screen)
    // who prints nothing needs no copy of what may be much
    if (outputter === quiet) return ''
    data ??= dataOf()
    try {
      const text = outputter(data, screen)
      return text === undefined ? undefined : trimEnd(text)
    } catch (error) {
      if (name === 'raw' || !isRefusal(error)) throw error
      screen.log('debug', `The data does not suit outputter '${name}': ${error.message}`)
    }
  }
  return undefined
}

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

/** Dicts and lists anew, as Salt's masking of pillar data leaves them: outputters may change them, and no dict is ordered. */
function rebuilt(data: Value, above = new Set<Value>()): Value {
  if (data === null || typeof data !== 'object') return data
  const isDict = data instanceof Map
  if ((!isDict && !Array.isArray(data)) || data instanceof Tuple || above.has(data)) return data
  if (isDict && data.size === 0) return new Map()
  above.add(data)
  const copy = isDict ? rebuiltDict(data, above) : data.map((item) => rebuilt(item, above))
  above.delete(data)
  return copy
}

function rebuiltDict(data: Dict, above: Set<Value>): Dict {
  const dict: Dict = new Map()
  data.forEach((value, key) => void dict.set(key, rebuilt(value, above)))
  return dict
}

/** The same, in place where that can be: for data that nobody else will look at. */
function settled(data: Value, above = new Set<Value>()): Value {
  if (!(data instanceof Map) || data.constructor !== Map) return rebuilt(data, above)
  if (data.size === 0 || above.has(data)) return data
  above.add(data)
  data.forEach((value, key) => {
    if (value === null || typeof value !== 'object') return
    const inner = settled(value, above)
    if (inner !== value) data.set(key, inner)
  })
  above.delete(data)
  return data
}
