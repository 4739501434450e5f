// Selects the outputter and whether it may use colour: `--out` first, then the outputter that the function requested.
import { textOf, truthy, type Value } from '../data/mod.ts'
import { getOr } from './outputter.ts'

type Options = ReadonlyMap<Value, Value>

/** The name of the outputter wanted; it need not exist. */
export function selectOutputter(out: string | null, opts: Options): string {
  if (isSet(opts, 'progress')) return 'progress'
  const chosen = withStatic(withOption(out, opts), opts)
  if (chosen === 'text') return 'txt'
  return chosen === null || chosen === '' ? 'nested' : chosen
}

/** `--out=highstate` leaves other data to the outputter that fits it. */
function withOption(out: string | null, opts: Options): string | null {
  const option = opts.get('output')
  return option === undefined || option === 'highstate' ? out : (textOf(option) ?? null)
}

/** With `--static`, all returns are gathered first, and the outputter of a state run is no longer known. */
function withStatic(out: string | null, opts: Options): string | null {
  if (out !== null && out !== '') return out
  if (!isSet(opts, 'static')) return out
  const option = opts.get('output')
  if (option !== undefined && truthy(option)) return textOf(option) ?? null
  return textOf(getOr(opts, 'fun', ''))?.split('.')[0] === 'state' ? 'highstate' : out
}

export interface Terminal {
  /** Output goes to a terminal, not to a pipe or a file. */
  terminal: boolean
  /** Windows, whose console shows no colours unless they are forced. */
  windows: boolean
}

/** Return whether to use colours: by `--force-color`, `--no-color`, the option `color` and the kind of output. */
export function colorFor(opts: Options, { terminal, windows }: Terminal): Value {
  if (isSet(opts, 'force_color')) return true
  if (isSet(opts, 'no_color') || windows) return false
  return getOr(opts, 'color', terminal)
}

function isSet(opts: Options, name: string): boolean {
  return truthy(getOr(opts, name, false))
}
