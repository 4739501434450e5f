// Filters that apply another filter or a test to every item. They are generators: nothing runs or fails before the
// template iterates. The exception are mapped filters, which run at once because their results may be promises that
// must be awaited first; their errors are thrown when the template reaches the item.
import { assertHashable, iterate, repr, textOf, truthy, type Value } from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { collected, failingAfter, PyGenerator } from '../runtime/generator.ts'
import { type NativeFunction, type NativeTable, native } from '../runtime/native.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'
import { Undefined } from '../runtime/undefined.ts'
import { attributeGetter, type Getter } from './attribute.ts'

function mapAttribute(rt: Runtime, value: Value, kwargs: Kwargs, mapped: Value[]): void {
  if (!truthy(value)) return
  const unexpected = [...kwargs.keys()].find((name) => name !== 'attribute' && name !== 'default')
  if (unexpected !== undefined) {
    throw new JinjaError('FilterArgumentError', `Unexpected keyword argument ${repr(unexpected)}`)
  }
  const get = attributeGetter(rt, kwargs.get('attribute')!, kwargs.get('default'))
  for (const item of iterate(value)) mapped.push(get(item))
}

function mapFilter(rt: Runtime, value: Value, args: readonly Value[], kwargs: Kwargs): Value | Promise<Value> {
  const results: (Value | Promise<Value>)[] = []
  let generator = (items: Iterable<Value>): PyGenerator => new PyGenerator('sync_do_map', items)
  try {
    if (truthy(value)) {
      const apply = filterCaller(rt, args, kwargs)
      for (const item of iterate(value)) results.push(apply(item))
    }
  } catch (error) {
    generator = (items) => new PyGenerator('sync_do_map', failingAfter(items, error))
  }
  if (!results.some((result) => result instanceof Promise)) return generator(results as Value[])
  return Promise.all(results).then(generator)
}

function filterCaller(rt: Runtime, args: readonly Value[], kwargs: Kwargs): (item: Value) => Value | Promise<Value> {
  if (args.length === 0) throw new JinjaError('FilterArgumentError', 'map requires a filter argument')
  const name = nameOf('filter', args[0]!)
  const others = args.slice(1)
  return (item) => rt.filter(name, item, others, kwargs)
}

function nameOf(kind: 'filter' | 'test', name: Value): string {
  const text = textOf(name)
  if (text !== undefined) return text
  assertHashable(name)
  const reason = name instanceof Undefined ? ` (${name.message}; did you forget to quote the callable name?)` : ''
  throw new JinjaError('TemplateRuntimeError', `No ${kind} named ${repr(name)}.${reason}`)
}

interface Selection {
  wanted: boolean
  byAttribute: boolean
}

type Condition = (item: Value) => boolean

function select(value: Value, wanted: boolean, condition: () => Condition): PyGenerator {
  const fill = (selected: Value[]): void => {
    if (!truthy(value)) return
    const holds = condition()
    for (const item of iterate(value)) if (holds(item) === wanted) selected.push(item)
  }
  return new PyGenerator('select_or_reject', collected(fill))
}

function conditionFrom(rt: Runtime, args: Value[], kwargs: Kwargs, byAttribute: boolean): Condition {
  if (!byAttribute) return testCaller(rt, args, kwargs, (item) => item)
  if (args.length === 0) throw new JinjaError('FilterArgumentError', 'Missing parameter for attribute name')
  return testCaller(rt, args.slice(1), kwargs, attributeGetter(rt, args[0]!))
}

/** Without a test the value's own truth decides. */
function testCaller(rt: Runtime, args: Value[], kwargs: Kwargs, get: Getter): Condition {
  if (args.length === 0) return (item) => truthy(get(item))
  const others = args.slice(1)
  return (item) => {
    const subject = get(item)
    return truthy(rt.test(nameOf('test', args[0]!), subject, others, kwargs))
  }
}

const selector = (name: string, { wanted, byAttribute }: Selection): NativeFunction =>
  native(name, ['@context', 'value', '*args', '**kwargs'], (rt, value: Value, args: Value[], kwargs: Kwargs) =>
    select(value, wanted, () => conditionFrom(rt, args, kwargs, byAttribute)),
  )

export const selectFilters: NativeTable = {
  map: native(
    'sync_do_map',
    ['@context', 'value', '*args', '**kwargs'],
    (rt, value: Value, args: Value[], kwargs: Kwargs) =>
      args.length === 0 && kwargs.has('attribute')
        ? new PyGenerator(
            'sync_do_map',
            collected((mapped) => mapAttribute(rt, value, kwargs, mapped)),
          )
        : mapFilter(rt, value, args, kwargs),
  ),
  select: selector('sync_do_select', { wanted: true, byAttribute: false }),
  reject: selector('sync_do_reject', { wanted: false, byAttribute: false }),
  selectattr: selector('sync_do_selectattr', { wanted: true, byAttribute: true }),
  rejectattr: selector('sync_do_rejectattr', { wanted: false, byAttribute: true }),
}
