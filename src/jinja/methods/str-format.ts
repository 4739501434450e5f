// `str.format` and `format_map` like Jinja's sandbox: fields have the same access to attributes and items as templates.
import { type FormatSource, formatTemplate, getItem, typeError, type Value } from '../../data/mod.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'

type FormatField = FormatSource['formatField']

export function formatCall(
  rt: Runtime,
  template: string,
  args: readonly Value[],
  kwargs: Kwargs,
  formatField?: FormatField,
): string {
  return formatWith(rt, template, args, kwargs as Map<Value, Value>, formatField)
}

export function formatMap(
  rt: Runtime,
  template: string,
  args: readonly Value[],
  kwargs: Kwargs,
  formatField?: FormatField,
): string {
  const [mapping] = args
  if (kwargs.size > 0) throw typeError('format_map() takes no keyword arguments')
  if (mapping === undefined || args.length > 1) {
    throw typeError(`format_map() takes exactly one argument (${args.length} given)`)
  }
  return formatWith(rt, template, [], mapping, formatField)
}

function formatWith(
  rt: Runtime,
  template: string,
  positional: readonly Value[],
  named: Value,
  formatField: FormatField,
): string {
  return formatTemplate(template, {
    positional,
    named: (name) => getItem(named, name),
    getAttr: (object, name) => rt.getAttr(object, name),
    getItem: (object, key) => rt.getItem(object, key),
    ...(formatField && { formatField }),
  })
}
