// JSON, four spaces a level; `output_indent` is another number, `pretty` (sorted too), or None or a negative number for
// one line. Data that JSON cannot hold becomes an empty object.
import { type DumpJsonOptions, dumpJson, PyError, repr, textOf, typeError, typeName, type Value } from '../data/mod.ts'
import type { Outputter } from './outputter.ts'

export const json: Outputter = (data, { opts, log }) => {
  try {
    return dumpJson(data, { default: repr, ensureAscii: false, ...layout(opts.get('output_indent')) })
  } catch (error) {
    if (!(error instanceof PyError) || error.code !== 'TypeError') throw error
    log('debug', `An error occurred while outputting JSON: ${error.message}`)
    return '{}'
  }
}

function layout(indent: Value | undefined): DumpJsonOptions {
  if (indent === undefined) return { indent: 4 }
  if (indent === null) return { indent: null }
  const text = textOf(indent)
  if (text !== undefined) return text === 'pretty' ? { indent: 4, sortKeys: true } : { indent: text }
  if (typeof indent !== 'boolean' && typeof indent !== 'number' && typeof indent !== 'bigint') throw badIndent(indent)
  const spaces = Number(indent)
  if (!Number.isInteger(spaces)) throw badIndent(indent)
  return { indent: spaces < 0 ? null : spaces }
}

const badIndent = (indent: Value): PyError =>
  typeError(`can't multiply sequence by non-int of type '${typeName(indent)}'`)
