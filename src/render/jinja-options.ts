// The minion options that shape the Jinja environment: `jinja_sls_env` for SLS files, `jinja_env` for everything else,
// and the older switches for trimming.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, str, textOf, truthy, type Value } from '../data/mod.ts'
import { DEFAULT_DELIMITERS, type Delimiters } from '../jinja/mod.ts'
import { renderError } from './errors.ts'

export function jinjaDelimiters(opts: Dict, isSls: boolean, log?: Log): Partial<Delimiters> {
  const given = new Map<Value, Value>(option(opts, isSls ? 'jinja_sls_env' : 'jinja_env'))
  for (const trimming of ['trim_blocks', 'lstrip_blocks'] as const) {
    if (!option(opts, `jinja_${trimming}`)) continue
    log?.('warning', `jinja_${trimming} is deprecated; set ${trimming} in jinja_env or jinja_sls_env`)
    given.set(trimming, true)
  }
  const delimiters: Partial<Delimiters> = {}
  for (const [key, value] of given) {
    const name = str(key).toLowerCase()
    if (Object.hasOwn(DEFAULT_DELIMITERS, name))
      Object.assign(delimiters, { [name]: setting(name as keyof Delimiters, value) })
    else log?.('warning', `Jinja2 environment ${name} is not recognized`)
  }
  return checked(delimiters)
}

function setting(name: keyof Delimiters, value: Value): Delimiters[keyof Delimiters] {
  if (typeof DEFAULT_DELIMITERS[name] === 'boolean') return truthy(value)
  if (value === null && DEFAULT_DELIMITERS[name] === null) return null
  const text = textOf(value)
  if (text === undefined) throw renderError(`Jinja2 environment ${name} must be text, not ${str(value)}`)
  return text
}

/** Throw for delimiters that Jinja cannot distinguish. */
function checked(delimiters: Partial<Delimiters>): Partial<Delimiters> {
  const all = { ...DEFAULT_DELIMITERS, ...delimiters }
  const starts = new Set([all.block_start_string, all.variable_start_string, all.comment_start_string])
  if (starts.size < 3) throw renderError('block, variable and comment start strings must be different')
  if (!['\r', '\r\n', '\n'].includes(all.newline_sequence)) {
    throw renderError('newline_sequence set to unknown line ending string.')
  }
  return delimiters
}
