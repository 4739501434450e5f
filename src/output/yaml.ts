// YAML in block style; `output_indent` is the indent per level, a negative one asks for flow style. Data that YAML cannot
// hold is reported and prints nothing.
import { BrineError } from '../base/mod.ts'
import { compare, numberOf, pformat, type Value } from '../data/mod.ts'
import { type DumpOptions, dump } from '../yaml/mod.ts'
import type { Outputter } from './outputter.ts'

export const yaml: Outputter = (data, { opts, log }) => {
  const layout = layoutFor(opts.get('output_indent'))
  try {
    return dump(data, layout)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    log('error', `Exception ${error.message} encountered when trying to serialize ${pformat(data)}`)
    return undefined
  }
}

function layoutFor(indent: Value | undefined): DumpOptions {
  if (indent === undefined) return { default_flow_style: false }
  if (!compare('>=', indent, 0)) return { default_flow_style: true, indent: 0 }
  return { default_flow_style: false, indent: Math.trunc(numberOf(indent)!) }
}
