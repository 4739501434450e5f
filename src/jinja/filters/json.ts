// Jinja's own `tojson`: JSON that is safe inside an HTML page. Salt replaces it by its own filter of that name.
import { dumpJson, isDict, mul, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { Markup } from '../runtime/markup.ts'
import { type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'

const UNSAFE: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', "'": '\\u0027' }

function tojson(rt: Runtime, value: Value, indent: Value): Value {
  const options = rt.policies.get('json.dumps_kwargs') ?? null
  const given = (name: string): Value => (isDict(options) ? options.get(name) : undefined) ?? null
  const by = indent ?? given('indent')
  const text = dumpJson(value, {
    sortKeys: truthy(given('sort_keys')),
    indent: by === null ? null : (textOf(by) ?? str(mul(' ', by))),
  })
  return new Markup(text.replace(/[<>&']/g, (char) => UNSAFE[char]!))
}

export const jsonFilters: NativeTable = {
  tojson: native('do_tojson', ['@eval_ctx', 'value', 'indent?'], (rt, value, indent = null) =>
    tojson(rt, value, indent),
  ),
}
